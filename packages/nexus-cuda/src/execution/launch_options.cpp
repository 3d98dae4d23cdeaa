// SPDX-License-Identifier: Apache-2.0
// Options of launches, and nxsGetKernelOccupancy.
#include "execution/command.hpp"

#include <algorithm>
#include <cstring>
#include <nexus-plugin/base/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::check_struct;

namespace {

[[noreturn]] void throw_lacking(std::string_view what, const Device &device) {
  throw Error(NXS_NotSupported, what, ", which the device '", device.name(), "' (",
              device.architecture(), ") does not have; leave it out");
}

std::string text(const Size3 &size) {
  return join(size[0], " x ", size[1], " x ", size[2]);
}

constexpr const char *kAsking = "asking for the occupancy of a kernel";

// Returns a launch of one cluster, or of one group if cluster_size is zeros. attributes outlive it.
CUlaunchConfig one_cluster(const Launch &launch, const Size3 &cluster_size, uint64_t dynamic_shared,
                           std::vector<CUlaunchAttribute> &attributes) {
  CUlaunchConfig config{};
  set_sizes(config, cluster_size[0] != 0 ? cluster_size : Size3{1, 1, 1}, launch.group_size,
            dynamic_shared);
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return config;
}

uint64_t counted(int number) noexcept {
  return number > 0 ? static_cast<uint64_t>(number) : 0;
}

// For the functions below the kernel was allowed that much dynamic shared memory, and the device's
// context is current. They throw the driver's error.

// Returns how many groups one multiprocessor runs at the same time.
uint64_t active_groups(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  int groups = 0;
  kernel.device().check(cu.OccupancyMaxActiveBlocksPerMultiprocessor(
                            &groups, kernel.function(), static_cast<int>(launch.items_per_group()),
                            static_cast<size_t>(dynamic_shared)),
                        kAsking);
  return counted(groups);
}

// Returns how many clusters the device runs at the same time.
uint64_t active_clusters(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  Launch clusters_only;
  clusters_only.cluster_size = launch.cluster_size;
  auto attributes = launch_attributes(kernel, clusters_only);
  const CUlaunchConfig config =
      one_cluster(launch, launch.cluster_size, dynamic_shared, attributes);
  int clusters = 0;
  const CUresult result = cu.OccupancyMaxActiveClusters(&clusters, kernel.function(), &config);
  if (result == CUDA_ERROR_INVALID_CLUSTER_SIZE) return 0;
  kernel.device().check(result, kAsking);
  return counted(clusters);
}

// Returns how many groups the device runs at the same time.
uint64_t max_groups(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  return launch.has_clusters()
             ? active_clusters(kernel, launch, dynamic_shared) * launch.groups_per_cluster()
             : active_groups(kernel, launch, dynamic_shared) * kernel.device().multiprocessors();
}

// Returns the groups of the largest cluster.
uint64_t max_cluster_size(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  if (!kernel.device().has_cluster_launch()) return 0;
  kernel.device().check(cu.FuncSetAttribute(kernel.function(),
                                            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                        "asking for large clusters");
  std::vector<CUlaunchAttribute> none;
  const CUlaunchConfig config = one_cluster(
      launch, kernel.required_cluster_size() ? launch.cluster_size : Size3{}, dynamic_shared, none);
  int most = 0;
  kernel.device().check(cu.OccupancyMaxPotentialClusterSize(&most, kernel.function(), &config),
                        kAsking);
  return counted(most);
}

void check_cluster_size(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const auto &required = kernel.required_cluster_size();
  if (required && launch.cluster_size != *required) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size),
                "; the kernel requires clusters of ", text(*required),
                ": give that, or leave cluster_size out");
  }
  const uint64_t most = max_cluster_size(kernel, launch, dynamic_shared);
  if (launch.groups_per_cluster() > most) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size), ", ",
                launch.groups_per_cluster(), " groups; the device has clusters of ", most,
                " groups at most");
  }
  if (active_clusters(kernel, launch, dynamic_shared) == 0) {
    throw Error(NXS_InvalidWorkGroupSize, "cluster_size is ", text(launch.cluster_size),
                "; the device has no room for a cluster of so many groups of ",
                launch.items_per_group(), " work items with ", dynamic_shared,
                " bytes of local memory: make one of them smaller");
  }
}

void check_cooperative(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  const uint64_t most = max_groups(kernel, launch, dynamic_shared);
  if (launch.groups() <= most) return;
  throw Error(NXS_InvalidGlobalWorkSize, "group_count is ", text(launch.group_count), ", ",
              launch.groups(), " groups of ", launch.items_per_group(),
              " work items, and cooperative_launch is true; the device runs ", most,
              " of them at the same time: launch fewer, or let each do more");
}

// Returns a launch of one group or cluster of the given sizes. Without a group size, takes the best
// one.
Launch launch_of_one(const Kernel &kernel, const nxs_launch &asked, uint64_t best_items) {
  const Size3 chosen = kernel.required_group_size().value_or(Size3{best_items, 1, 1});
  nxs_launch one{};
  std::memcpy(&one, &asked, std::min<uint64_t>(asked.struct_size, sizeof(one)));
  one.struct_size = sizeof(one);
  one.flags = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    one.grid_size[d] = 1;
    one.group_count[d] = std::max<uint64_t>(1, one.cluster_size[d]);
  }
  const Launch checked =
      nexus_plugin::check_launch(&one, chosen, kernel.max_group_items(), kLaunchOptions);
  check_options(kernel, checked, asked.local_memory);
  return checked;
}

nxs_occupancy occupancy_of(const Kernel &kernel, const nxs_launch &asked) {
  kernel.device().refuse_lost();
  const CurrentContext current(kernel.device());
  const uint64_t shared = asked.local_memory;
  kernel.allow_dynamic_shared(shared);
  nxs_occupancy told{};
  told.best_group_size = kernel.best_group_items(shared);
  const Launch launch = launch_of_one(kernel, asked, told.best_group_size);
  told.active_groups = active_groups(kernel, launch, shared);
  told.max_groups = max_groups(kernel, launch, shared);
  told.max_cluster_size = max_cluster_size(kernel, launch, shared);
  told.active_clusters = launch.has_clusters() ? active_clusters(kernel, launch, shared) : 0;
  if (told.active_groups == 0) return told;
  size_t free_shared = 0;
  kernel.device().check(cu.OccupancyAvailableDynamicSMemPerBlock(
                            &free_shared, kernel.function(), static_cast<int>(told.active_groups),
                            static_cast<int>(launch.items_per_group())),
                        kAsking);
  told.free_local_memory = free_shared;
  return told;
}

}  // namespace

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
  // A kernel that requires a cluster size has it without the attribute.
  if (launch.has_clusters() && !kernel.required_cluster_size()) {
    const auto number = [&](std::size_t d) {
      return static_cast<unsigned>(launch.cluster_size[d]);
    };
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {number(0), number(1), number(2)};
  }
  return made;
}

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

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_FUNCTION(GetKernelOccupancy,
                      (nxs_id kernel, const nxs_launch *launch, nxs_occupancy *out_occupancy), {
                        const auto asked = kernels.pin(kernel);
                        const nxs_launch &given = check_struct(launch, "launch");
                        nxs_occupancy &out = check_struct(out_occupancy, "out_occupancy");
                        nxs_occupancy told = occupancy_of(*asked, given);
                        told.struct_size = out.struct_size;
                        std::memcpy(&out, &told, std::min<uint64_t>(out.struct_size, sizeof(told)));
                      })
