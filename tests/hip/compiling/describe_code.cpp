// SPDX-License-Identifier: Apache-2.0
// Prints what the backend reads from a code object, as JSON: describe_code FILE DEVICE. Keys are
// those of the metadata.
#include "compile/code_object.hpp"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nexus-plugin/base/json.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace nexus_hip;

namespace {

// Has what is 0 or empty too.
struct Json : nexus_plugin::JsonObject {
  void pair(std::string_view key, uint64_t number) { add_json(key, std::to_string(number)); }
  void pair(std::string_view key, const std::string &text) {
    add_json(key, nexus_plugin::json_string(text));
  }
  template <class List, class Show>
  void list(std::string_view key, const List &values, Show &&show) {
    std::vector<std::string> all;
    for (const auto &value : values) all.push_back(show(value));
    add_json(key, nexus_plugin::json_array(all));
  }
};

std::string number_json(uint64_t number) {
  return std::to_string(number);
}

std::string argument_json(const CodeArgument &argument) {
  Json json;
  json.pair(".offset", argument.offset);
  json.pair(".size", argument.size);
  json.pair(".value_kind", argument.value_kind);
  json.add(".name", argument.name);
  json.add(".address_space", argument.address_space);
  json.add(".actual_access", argument.actual_access);
  return json.done();
}

std::string description_json(const nexus_plugin::KernelDescription &description) {
  Json json;
  json.list("arguments", description.arguments, [](const auto &argument) {
    return nexus_plugin::json_array(
        {nexus_plugin::json_string(argument.name), nexus_plugin::json_string(argument.type),
         number_json(static_cast<uint64_t>(argument.kind)),
         number_json(static_cast<uint64_t>(argument.data_type)), number_json(argument.size)});
  });
  if (description.group_size) json.list("group_size", *description.group_size, number_json);
  return json.done();
}

std::string why_refused(const CodeKernel &kernel) {
  try {
    refuse_host_calls(kernel);
  } catch (const nexus_plugin::Error &error) {
    return error.what();
  }
  return {};
}

std::string kernel_json(const CodeKernel &kernel) {
  Json json;
  json.pair(".name", kernel.name);
  json.pair(".symbol", kernel.symbol);
  json.pair(".kernarg_segment_size", kernel.argument_bytes);
  json.pair(".wavefront_size", kernel.wavefront_size);
  json.pair(".max_flat_workgroup_size", kernel.max_group_items);
  json.pair(".group_segment_fixed_size", kernel.group_bytes);
  json.pair(".private_segment_fixed_size", kernel.private_bytes);
  json.pair(".vgpr_count", kernel.vector_registers);
  json.pair(".sgpr_count", kernel.scalar_registers);
  json.list(".args", kernel.arguments, argument_json);
  json.list("hidden", kernel.hidden, argument_json);
  json.pair("refused", why_refused(kernel));
  if (kernel.required_group_size) {
    json.list(".reqd_workgroup_size", *kernel.required_group_size, number_json);
  }
  if (kernel.description) json.add_json("description", description_json(*kernel.description));
  return json.done();
}

}  // namespace

int main(int, char **arguments) {
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  try {
    const TargetId device = read_target_id(arguments[2]).value();
    const CodeObject object = read_code_object(code_for(code, device), device);
    Json json;
    json.pair("version", static_cast<uint64_t>(object.version));
    json.pair("target", object.target.name());
    json.list("kernels", object.kernels, kernel_json);
    std::cout << json.done();
  } catch (const nexus_plugin::Error &error) {
    std::cerr << error.what();
    return 1;
  }
}
