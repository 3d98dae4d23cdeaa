// SPDX-License-Identifier: Apache-2.0
// Prints what the backend reads from a code object, as JSON: describe_code FILE DEVICE. Keys are
// those of the metadata.
#include "compile/code_object.hpp"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

using namespace nexus_hip;

namespace {

// The values of an object or a list, without the last comma.
class Json {
 public:
  void key(std::string_view name) {
    comma();
    std::cout << '"' << name << "\":";
    first_ = true;
  }
  void text(std::string_view value) {
    comma();
    std::cout << '"' << value << '"';
  }
  void number(uint64_t value) {
    comma();
    std::cout << value;
  }
  void pair(std::string_view name, std::string_view value) { key(name), text(value); }
  void pair(std::string_view name, uint64_t value) { key(name), number(value); }

  template <class Show>
  void inside(const char *brackets, Show &&show) {
    comma();
    std::cout << brackets[0];
    first_ = true;
    show();
    std::cout << brackets[1];
    first_ = false;
  }
  template <class List, class Show>
  void list(std::string_view name, const List &values, Show &&show) {
    key(name);
    inside("[]", [&] {
      for (const auto &value : values) show(value);
    });
  }

 private:
  void comma() {
    if (!first_) std::cout << ',';
    first_ = false;
  }

  bool first_ = true;
};

Json json;

void show_argument(const CodeArgument &argument) {
  json.inside("{}", [&] {
    json.pair(".offset", argument.offset);
    json.pair(".size", argument.size);
    json.pair(".value_kind", argument.value_kind);
    if (!argument.name.empty()) json.pair(".name", argument.name);
    if (!argument.address_space.empty()) json.pair(".address_space", argument.address_space);
    if (!argument.actual_access.empty()) json.pair(".actual_access", argument.actual_access);
  });
}

void show_description(const nexus_plugin::KernelDescription &description) {
  json.key("description");
  json.inside("{}", [&] {
    json.list("arguments", description.arguments, [](const auto &argument) {
      json.inside("[]", [&] {
        json.text(argument.name);
        json.text(argument.type);
        json.number(static_cast<uint64_t>(argument.kind));
        json.number(static_cast<uint64_t>(argument.data_type));
        json.number(argument.size);
      });
    });
    if (!description.group_size) return;
    json.list("group_size", *description.group_size, [](uint64_t size) { json.number(size); });
  });
}

std::string why_refused(const CodeKernel &kernel) {
  try {
    refuse_host_calls(kernel);
  } catch (const nexus_plugin::Error &error) {
    return error.what();
  }
  return {};
}

void show_kernel(const CodeKernel &kernel) {
  json.inside("{}", [&] {
    json.pair(".name", kernel.name);
    json.pair(".symbol", kernel.symbol);
    json.pair(".kernarg_segment_size", kernel.argument_bytes);
    json.pair(".wavefront_size", kernel.wavefront_size);
    json.pair(".max_flat_workgroup_size", kernel.max_group_items);
    json.pair(".group_segment_fixed_size", kernel.group_bytes);
    json.pair(".private_segment_fixed_size", kernel.private_bytes);
    json.pair(".vgpr_count", kernel.vector_registers);
    json.pair(".sgpr_count", kernel.scalar_registers);
    json.list(".args", kernel.arguments, show_argument);
    json.list("hidden", kernel.hidden, show_argument);
    json.pair("refused", why_refused(kernel));
    if (kernel.required_group_size) {
      json.list(".reqd_workgroup_size", *kernel.required_group_size,
                [](uint64_t size) { json.number(size); });
    }
    if (kernel.description) show_description(*kernel.description);
  });
}

}  // namespace

int main(int, char **arguments) {
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  try {
    const TargetId device = read_target_id(arguments[2]).value();
    const CodeObject object = read_code_object(code_for(code, device), device);
    json.inside("{}", [&] {
      json.pair("version", static_cast<uint64_t>(object.version));
      json.pair("target", object.target.name());
      json.list("kernels", object.kernels, show_kernel);
    });
  } catch (const nexus_plugin::Error &error) {
    std::cerr << error.what();
    return 1;
  }
}
