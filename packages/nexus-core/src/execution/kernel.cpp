// SPDX-License-Identifier: Apache-2.0
#include "execution/kernel.hpp"

#include <cstddef>
#include <limits>

#include "base/text.hpp"
#include "object/native.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

constexpr PropertyFunction kKernelProperty = &nxs_functions::GetKernelProperty;

// The size of the first version of nxs_argument_info. Later members are written if the caller's
// struct has them.
constexpr uint64_t kFirstArgumentInfoSize =
    offsetof(nxs_argument_info, size) + sizeof(nxs_argument_info::size);

std::string textOf(nxs_string text) {
  return {text.data == nullptr ? "" : text.data, static_cast<std::size_t>(text.size)};
}

}  // namespace

Kernel::Kernel(Library &library, std::string name)
    : Object(kType),
      device_(library.device()),
      library_(library),
      info_{std::move(name), device_.selector(), device_.plugin().capabilities} {
  const Plugin &plugin = device_.plugin();
  const nxs_string given_name = stringOf(info_.name);
  const Ref<Native> from = library.native();
  plugin.call(
      &nxs_functions::GetKernel, [&] { return "find the kernel '" + info_.name + "'"; }, from->id(),
      &given_name, &id_);
  try {
    readArguments();
    info_.max_group_size = device_.maxGroupSize();
    const auto stated =
        readNativeInt(plugin, kKernelProperty, id_, NP_MaxThreadsPerBlock, "kernel");
    if (stated && *stated > 0) {
      info_.max_group_size = static_cast<uint64_t>(*stated);
    }
    info_.required_group_size = readRequired(NP_RequiredGroupSize);
    if (plugin.has(NXS_Capability_ClusterLaunch)) {
      info_.required_cluster_size = readRequired(NP_RequiredClusterSize);
    }
  } catch (...) {
    releaseNative(plugin, &nxs_functions::ReleaseKernel, id_, "kernel");
    throw;
  }
}

Kernel::~Kernel() {
  releaseNative(device_.plugin(), &nxs_functions::ReleaseKernel, id_, "kernel");
}

void Kernel::readArguments() {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_ArgumentInfo)) {
    return;
  }
  const auto count = readNativeInt(plugin, kKernelProperty, id_, NP_Count, "kernel");
  if (!count || *count < 0 || *count > std::numeric_limits<uint32_t>::max()) {
    return;
  }
  info_.argument_count = static_cast<uint32_t>(*count);
  std::vector<ArgumentInfo> arguments;
  for (uint32_t i = 0; i < *info_.argument_count; ++i) {
    try {
      arguments.push_back(readArgument(i));
    } catch (const Failure &failure) {
      // A driver may know only the number of arguments, such as for a program loaded as a binary.
      if (failure.status() == NXS_KernelArgInfoNotAvailable) return;
      throw;
    }
  }
  info_.arguments = std::move(arguments);
}

ArgumentInfo Kernel::readArgument(uint32_t index) const {
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  device_.plugin().call(
      &nxs_functions::GetKernelArgument,
      [&] { return "describe an argument of the kernel '" + info_.name + "'"; }, id_, index, &info);
  return {textOf(info.name), info.kind, info.data_type, info.size, textOf(info.type)};
}

// Returns zeros if the kernel states nothing.
Counts Kernel::readRequired(nxs_property number) const {
  const std::optional<json::Value> value =
      readNative(device_.plugin(), kKernelProperty, id_, number, "kernel");
  Counts required{};
  if (!value || !value->isArray() || value->array()->size() != required.size()) {
    return {};
  }
  for (std::size_t i = 0; i < required.size(); ++i) {
    const auto length = (*value->array())[i].integer();
    if (!length || *length < 1) return {};
    required[i] = static_cast<uint64_t>(*length);
  }
  return required;
}

void Kernel::readOccupancy(const nexus_launch_desc &desc, nxs_occupancy &out) const {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_Occupancy)) {
    throw Failure(NXS_NotSupported, "The backend of '" + device_.selector() +
                                        "' does not tell how many groups run at the same time; "
                                        "those whose property Capabilities has "
                                        "NXS_Capability_Occupancy do.");
  }
  const nxs_launch launch = launchOfGroup(desc, info_);
  plugin.call(
      &nxs_functions::GetKernelOccupancy,
      [&] { return "tell the occupancy of the kernel '" + info_.name + "'"; }, id_, &launch, &out);
}

std::optional<json::Value> Kernel::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_Keys:
      return keyNumbers(*this);
    case NP_Name:
      return json::Value(info_.name);
    default:
      return readNative(device_.plugin(), kKernelProperty, id_, number, "kernel");
  }
}

std::vector<std::string> Kernel::propertyKeys() {
  return unionOf({"ID", "Keys", "Name"},
                 readNativeKeys(device_.plugin(), kKernelProperty, id_, "kernel"));
}

}  // namespace nexus::core

using namespace nexus::core;

namespace {

const std::vector<ArgumentInfo> &describedArguments(Kernel &kernel) {
  if (!kernel.info().arguments) {
    throw Failure(NXS_KernelArgInfoNotAvailable,
                  "The kernel '" + kernel.name() +
                      "' does not describe its arguments; look them up in its source.");
  }
  return *kernel.info().arguments;
}

}  // namespace

nxs_status nexus_kernel_get_argument_count(nexus_kernel *kernel, uint32_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    *out_count = static_cast<uint32_t>(describedArguments(given<Kernel>(kernel, "kernel")).size());
  });
}

nxs_status nexus_kernel_get_argument(nexus_kernel *kernel, uint32_t index,
                                     nxs_argument_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    if (out_info->struct_size < kFirstArgumentInfoSize) {
      throw Failure(NXS_InvalidValue, "out_info->struct_size is " +
                                          std::to_string(out_info->struct_size) +
                                          "; set it to sizeof(nxs_argument_info).");
    }
    Kernel &described = given<Kernel>(kernel, "kernel");
    const std::vector<ArgumentInfo> &arguments = describedArguments(described);
    if (index >= arguments.size()) {
      throw Failure(NXS_InvalidArgIndex, "index is " + std::to_string(index) +
                                             ", and the kernel '" + described.name() + "' has " +
                                             std::to_string(arguments.size()) +
                                             " arguments, counted from 0.");
    }
    const ArgumentInfo &info = arguments[index];
    out_info->name = {info.name.data(), info.name.size()};
    out_info->kind = info.kind;
    out_info->data_type = info.data_type;
    out_info->size = info.size;
    if (out_info->struct_size >= sizeof(nxs_argument_info)) {
      out_info->type = {info.type.data(), info.type.size()};
    }
  });
}

nxs_status nexus_kernel_get_occupancy(nexus_kernel *kernel, const nexus_launch_desc *desc,
                                      nxs_occupancy *out_occupancy) {
  return guarded([&] {
    const Kernel &asked = given<Kernel>(kernel, "kernel");
    const nexus_launch_desc launch = readLaunch(desc);
    requirePointer(out_occupancy, "out_occupancy");
    if (out_occupancy->struct_size < sizeof(nxs_occupancy)) {
      throw Failure(NXS_InvalidValue, "out_occupancy->struct_size is " +
                                          std::to_string(out_occupancy->struct_size) +
                                          "; set it to sizeof(nxs_occupancy).");
    }
    asked.readOccupancy(launch, *out_occupancy);
  });
}
