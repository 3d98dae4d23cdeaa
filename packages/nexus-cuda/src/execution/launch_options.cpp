// SPDX-License-Identifier: Apache-2.0
#include "execution/launch_options.hpp"

#include "device/device.hpp"
#include "execution/occupancy.hpp"

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::Launch;
using nexus_plugin::Size3;

namespace {

[[noreturn]] void throw_lacking(std::string_view what, const Device &device) {
  throw Error(NXS_NotSupported, what, ", which the device '", device.name(), "' (",
              device.architecture(), ") does not have; leave it out");
}

std::string text(const Size3 &size) {
  return join(size[0], " x ", size[1], " x ", size[2]);
}

void check_cluster_size(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const auto &required = kernel.required_cluster_size();
  if (required && launch.cluster_size != *required) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size),
                "; it was written for clusters of ", text(*required),
                ": give that, or leave cluster_size out");
  }
  const GroupShape shape{launch.group_size, launch.cluster_size, dynamic_shared};
  const uint64_t most = max_cluster_size(kernel, shape);
  if (launch.groups_per_cluster() > most) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size), ", ",
                launch.groups_per_cluster(), " groups; the device has clusters of ", most,
                " groups at most");
  }
  if (active_clusters(kernel, shape) == 0) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size),
                "; the device has no room for a cluster of so many groups of ",
                launch.items_per_group(), " work items with ", dynamic_shared,
                " bytes of local memory: make one of them smaller");
  }
}

void check_cooperative(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const GroupShape shape{launch.group_size, launch.cluster_size, dynamic_shared};
  const uint64_t most = max_groups(kernel, shape);
  if (launch.groups() <= most) return;
  throw Error(NXS_InvalidGlobalWorkSize, "group_count is ", text(launch.group_count), ", ",
              launch.groups(), " groups of ", launch.items_per_group(),
              " work items, and cooperative_launch is true; the device runs ", most,
              " of them at the same time: launch fewer, or let each do more");
}

}  // namespace

void check_options(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const Device &device = kernel.device();
  if (launch.programmatic() && !device.has_programmatic_launch()) {
    throw_lacking("programmatic_launch is true", device);
  }
  if (!launch.has_clusters() && !launch.cooperative()) return;
  const CurrentContext current(kernel.device());
  if (launch.has_clusters()) {
    if (!device.has_cluster_launch()) {
      throw_lacking(join("cluster_size is ", text(launch.cluster_size)), device);
    }
    check_cluster_size(kernel, launch, dynamic_shared);
  }
  if (launch.cooperative()) {
    if (!device.has_cooperative_launch()) {
      throw_lacking("cooperative_launch is true", device);
    }
    check_cooperative(kernel, launch, dynamic_shared);
  }
}

std::vector<CUlaunchAttribute> launch_attributes(const Kernel &kernel, const Launch &launch) {
  std::vector<CUlaunchAttribute> made;
  const auto add = [&made](CUlaunchAttributeID id) -> CUlaunchAttributeValue & {
    return made.emplace_back(CUlaunchAttribute{id, {}, {}}).value;
  };
  if (launch.cooperative()) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (launch.programmatic()) {
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  }
  // A kernel that was written for one cluster size has it without being told.
  if (launch.has_clusters() && !kernel.required_cluster_size()) {
    const auto number = [&](std::size_t d) {
      return static_cast<unsigned>(launch.cluster_size[d]);
    };
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {number(0), number(1), number(2)};
  }
  return made;
}

}  // namespace nexus_cuda
