// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel_description.hpp"

#include <optional>

#include "base/data_type.hpp"
#include "base/error.hpp"
#include "execution/kernel.hpp"
#include "execution/library.hpp"
#include "json/json.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

const char *kindName(nxs_argument_kind kind) {
  switch (kind) {
#define NEXUS_KIND_CASE(name, number) \
  case number:                        \
    return #name;
    NXS_FOR_EACH_ArgumentKind(NEXUS_KIND_CASE)
#undef NEXUS_KIND_CASE
        default : return "Unknown";
  }
}

json::Value argumentsOf(const std::vector<ArgumentInfo> &arguments) {
  json::Value::Array list;
  for (const ArgumentInfo &argument : arguments) {
    const char *type = dataTypeName(argument.data_type);
    json::Value entry;
    entry.set("name", json::Value(argument.name));
    entry.set("kind", json::Value(kindName(argument.kind)));
    entry.set("dtype", json::Value(type == nullptr ? "undefined" : type));
    entry.set("type", json::Value(argument.type));
    entry.set("size", json::Value(argument.size));
    list.push_back(std::move(entry));
  }
  return json::Value(std::move(list));
}

void copyProperty(json::Value &entry, const char *name, Kernel &kernel, nxs_property number) {
  if (const std::optional<json::Value> value = kernel.property({}, number)) {
    entry.set(name, *value);
  }
}

json::Value kernelOf(Library &library, const std::string &name) {
  const Ref<Kernel> kernel = make<Kernel>(library, name);
  json::Value entry;
  entry.set("name", json::Value(name));
  if (kernel->info().arguments) {
    entry.set("arguments", argumentsOf(*kernel->info().arguments));
  }
  copyProperty(entry, "required_group_size", *kernel, NP_RequiredGroupSize);
  copyProperty(entry, "local_memory", *kernel, NP_LocalMemorySize);
  copyProperty(entry, "max_group_size", *kernel, NP_MaxThreadsPerBlock);
  copyProperty(entry, "registers", *kernel, NP_RegistersPerThread);
  copyProperty(entry, "private_memory", *kernel, NP_PrivateMemorySize);
  copyProperty(entry, "constant_memory", *kernel, NP_ConstantMemorySize);
  copyProperty(entry, "required_cluster_size", *kernel, NP_RequiredClusterSize);
  return entry;
}

// Returns nothing if the code is for another architecture and can't be loaded here.
std::optional<Ref<Library>> loadToLook(const Target &target, const Program &program,
                                       std::string_view code) {
  Device &device = *target.device;
  nxs_id id = 0;
  try {
    device.plugin().call(
        &nxs_functions::CreateLibrary,
        [&] { return "load what it compiled of the program '" + std::string(program.name) + "'"; },
        device.id(), code.data(), uint64_t{code.size()}, &id);
  } catch (const Failure &failure) {
    if (!target.architecture.empty() && failure.status() == NXS_InvalidBinary) {
      return std::nullopt;
    }
    throw;
  }
  return make<Library>(device, id, std::string());
}

}  // namespace

std::string describeKernels(const Target &target, const Program &program, std::string_view code) {
  const std::optional<Ref<Library>> library = loadToLook(target, program, code);
  if (!library) {
    return {};
  }
  const std::optional<json::Value> names = (*library)->property({}, NP_KernelNames);
  if (!names || !names->isArray()) {
    return {};
  }
  if (names->array()->empty()) {
    const std::string how = program.isPortable()
                                ? "begin one with NEXUS_KERNEL(name, (type, parameter), ...)."
                                : "a kernel is a function that other files can see.";
    throw Failure(NXS_InvalidProgram,
                  "The program '" + std::string(program.name) + "' has no kernel; " + how);
  }
  json::Value::Array kernels;
  for (const json::Value &name : *names->array()) {
    kernels.push_back(kernelOf(**library, *name.string()));
  }
  return json::write(json::Value(std::move(kernels)));
}

}  // namespace nexus::core
