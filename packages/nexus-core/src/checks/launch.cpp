// SPDX-License-Identifier: Apache-2.0
#include "checks/launch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "base/error.hpp"

namespace nexus::core {
namespace {

bool isUnset(const uint64_t (&counts)[3]) {
  return counts[0] == 0 && counts[1] == 0 && counts[2] == 0;
}

// Throws if a count is 0.
void requirePositive(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  for (const uint64_t count : counts) {
    if (count == 0) {
      throw Failure(status, std::string(parameter) + " is " + countsText(countsOf(counts)) +
                                "; each length is at least 1, so give 1 where a dimension is not "
                                "used.");
    }
  }
}

// Returns the product of the counts. Throws if it exceeds 64 bits.
uint64_t product(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  if (std::find(std::begin(counts), std::end(counts), 0) != std::end(counts)) return 0;
  uint64_t all = 1;
  for (const uint64_t count : counts) {
    if (__builtin_mul_overflow(all, count, &all)) {
      throw Failure(status, std::string(parameter) + " is " + countsText(countsOf(counts)) +
                                ", more work items than 64 bits can count; make it smaller.");
    }
  }
  return all;
}

void checkGroupSize(const uint64_t (&group_size)[3], const KernelInfo &kernel) {
  requirePositive(group_size, "group_size", NXS_InvalidWorkGroupSize);
  const Counts &required = kernel.required_group_size;
  if (required[0] != 0 && countsOf(group_size) != required) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_size is " + countsText(countsOf(group_size)) + ", and the kernel '" +
                      kernel.name + "' was written for groups of " + countsText(required) +
                      "; give that, or leave group_size out.");
  }
  const uint64_t items = product(group_size, "group_size", NXS_InvalidWorkGroupSize);
  if (items > kernel.max_group_size) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_size is " + countsText(countsOf(group_size)) + ", which is " +
                      std::to_string(items) + " work items, and the kernel '" + kernel.name +
                      "' runs at most " + std::to_string(kernel.max_group_size) + " a group on '" +
                      kernel.device +
                      "'; make the groups smaller, or leave their size to the backend.");
  }
}

// Throws if the backend does not support an option, which it would ignore in silence.
void requireOption(const KernelInfo &kernel, nxs_capability capability, const std::string &given,
                   const char *property) {
  if ((kernel.capabilities & capability) != 0) return;
  throw Failure(NXS_NotSupported,
                given + ", and the backend of '" + kernel.device +
                    "' has no such launches; leave it out, or take a device whose property " +
                    property + " is 1.");
}

void checkFlags(nxs_launch_flags flags, const KernelInfo &kernel) {
  constexpr uint64_t known = NXS_LaunchFlags_Cooperative | NXS_LaunchFlags_Programmatic;
  if ((flags & ~known) != 0) {
    throw Failure(NXS_InvalidValue, "flags is " + std::to_string(flags) +
                                        ", which has bits that no launch has; give "
                                        "NXS_LaunchFlags_* bits.");
  }
  if ((flags & NXS_LaunchFlags_Cooperative) != 0) {
    requireOption(kernel, NXS_Capability_CooperativeLaunch, "cooperative_launch is true",
                  "CooperativeLaunch");
  }
  if ((flags & NXS_LaunchFlags_Programmatic) != 0) {
    requireOption(kernel, NXS_Capability_ProgrammaticLaunch, "programmatic_launch is true",
                  "ProgrammaticLaunch");
  }
}

// Returns the clusters that are asked for, else those that the kernel requires, else zeros.
Counts clusterSize(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  if (isUnset(desc.cluster_size)) return kernel.required_cluster_size;
  const Counts given = countsOf(desc.cluster_size);
  requireOption(kernel, NXS_Capability_ClusterLaunch, "cluster_size is " + countsText(given),
                "ClusterLaunch");
  requirePositive(desc.cluster_size, "cluster_size", NXS_InvalidWorkGroupSize);
  return given;
}

// Returns the number of groups, in whole clusters, that cover the items.
uint64_t groupsFor(uint64_t items, uint64_t group, uint64_t cluster) {
  if (items == 0) return 0;
  const uint64_t groups = (items - 1) / group + 1;
  if (cluster == 0) return groups;
  uint64_t whole = 0;
  if (__builtin_add_overflow((groups - 1) / cluster * cluster, cluster, &whole)) {
    throw Failure(NXS_InvalidGlobalWorkSize,
                  "grid_size has " + std::to_string(items) +
                      " work items in a dimension, which whole clusters can't cover in 64 bits; "
                      "make it smaller.");
  }
  return whole;
}

void requireWholeClusters(const uint64_t (&group_count)[3], const Counts &cluster) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (cluster[i] == 0 || group_count[i] % cluster[i] == 0) continue;
    throw Failure(NXS_InvalidGlobalWorkSize, "group_count is " + countsText(countsOf(group_count)) +
                                                 ", which are no whole clusters of " +
                                                 countsText(cluster) +
                                                 " groups; give multiples, or grid_size instead.");
  }
}

}  // namespace

std::string countsText(const Counts &counts) {
  return "(" + std::to_string(counts[0]) + ", " + std::to_string(counts[1]) + ", " +
         std::to_string(counts[2]) + ")";
}

nexus_launch_desc readLaunch(const nexus_launch_desc *given) {
  // The size of the struct's first version. Later members are read if the caller's struct has them.
  constexpr uint64_t first =
      offsetof(nexus_launch_desc, local_memory) + sizeof(nexus_launch_desc::local_memory);
  requirePointer(given, "desc");
  if (given->struct_size < first) {
    throw Failure(NXS_InvalidValue, "desc->struct_size is " + std::to_string(given->struct_size) +
                                        "; set it to sizeof(nexus_launch_desc).");
  }
  nexus_launch_desc desc{};
  std::memcpy(&desc, given, std::min<uint64_t>(given->struct_size, sizeof(desc)));
  return desc;
}

nxs_launch launchOfGroup(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  nxs_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.local_memory = desc.local_memory;
  if (!isUnset(desc.group_size)) checkGroupSize(desc.group_size, kernel);
  const Counts cluster = clusterSize(desc, kernel);
  std::copy_n(desc.group_size, 3, launch.group_size);
  std::copy_n(cluster.begin(), 3, launch.cluster_size);
  return launch;
}

nxs_launch completeLaunch(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  nxs_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.local_memory = desc.local_memory;
  checkFlags(desc.flags, kernel);
  launch.flags = desc.flags;
  const Counts cluster = clusterSize(desc, kernel);
  const bool by_count = !isUnset(desc.group_count);
  if (by_count != isUnset(desc.grid_size)) {
    throw Failure(NXS_InvalidGlobalWorkSize,
                  by_count ? "grid_size and group_count are both given; give one of them."
                           : "grid_size is " + countsText(countsOf(desc.grid_size)) +
                                 "; give the work items to run, or group_count. An empty grid "
                                 "has a 1 too: (0, 1, 1).");
  }
  const bool chosen_by_backend = isUnset(desc.group_size);
  if (!chosen_by_backend) {
    checkGroupSize(desc.group_size, kernel);
  } else if (by_count) {
    throw Failure(NXS_InvalidWorkGroupSize,
                  "group_count is given without group_size, so the work items are not known; "
                  "give group_size too, or grid_size instead.");
  }
  if (by_count) {
    requireWholeClusters(desc.group_count, cluster);
  } else {
    product(desc.grid_size, "grid_size", NXS_InvalidGlobalWorkSize);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const uint64_t group = desc.group_size[i];
    launch.group_size[i] = group;
    launch.cluster_size[i] = cluster[i];
    if (by_count) {
      launch.group_count[i] = desc.group_count[i];
      if (__builtin_mul_overflow(group, desc.group_count[i], &launch.grid_size[i])) {
        throw Failure(NXS_InvalidGlobalWorkSize,
                      "group_count is " + countsText(countsOf(desc.group_count)) +
                          ", more work items than 64 bits can count; make it smaller.");
      }
    } else {
      launch.grid_size[i] = desc.grid_size[i];
      launch.group_count[i] =
          chosen_by_backend ? 0 : groupsFor(desc.grid_size[i], group, cluster[i]);
    }
  }
  product(launch.grid_size, by_count ? "group_count x group_size" : "grid_size",
          NXS_InvalidGlobalWorkSize);
  return launch;
}

}  // namespace nexus::core
