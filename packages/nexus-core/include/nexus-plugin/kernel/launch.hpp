// SPDX-License-Identifier: Apache-2.0
// The size of a launch, copied from the host and checked.
#ifndef NEXUS_PLUGIN_LAUNCH_HPP_
#define NEXUS_PLUGIN_LAUNCH_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/value.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace nexus_plugin NXS_HIDDEN {

using Size3 = std::array<uint64_t, 3>;  // x, y, z

struct Launch {
  Size3 group_size{};   // work items of a group
  Size3 grid_size{};    // work items that the program wants
  Size3 group_count{};  // groups that cover the grid; 0 in each dimension in which the grid is 0
  uint64_t local_memory = 0;
  uint64_t flags = 0;    // NXS_LaunchFlags_* bits
  Size3 cluster_size{};  // groups of a cluster; zeros: none

  bool cooperative() const noexcept { return (flags & NXS_LaunchFlags_Cooperative) != 0; }
  bool programmatic() const noexcept { return (flags & NXS_LaunchFlags_Programmatic) != 0; }
  bool has_clusters() const noexcept { return cluster_size[0] != 0; }
  uint64_t groups_per_cluster() const noexcept {
    return cluster_size[0] * cluster_size[1] * cluster_size[2];
  }
  uint64_t items_per_group() const noexcept {
    return group_size[0] * group_size[1] * group_size[2];
  }
  uint64_t items() const noexcept { return grid_size[0] * grid_size[1] * grid_size[2]; }
  uint64_t groups() const noexcept { return group_count[0] * group_count[1] * group_count[2]; }
  bool empty() const noexcept { return groups() == 0; }  // runs nothing
};

// Limits and preferences for the size of a group.
struct GroupLimits {
  uint64_t max_items = 1;                              // work items of a group
  Size3 max_size{UINT64_MAX, UINT64_MAX, UINT64_MAX};  // in each dimension
  uint64_t least = 1;  // the size is a multiple of this, unless the grid is smaller
  uint64_t row = 1;    // the least work items in x if the grid has several rows
  uint64_t parts = 1;  // the number of groups that keeps the device busy
};

// Returns limits for a device that runs many groups at the same time, such as a GPU. multiple: the
// work items of a group should be a multiple of it, such as the warp size; units: the number of
// compute units.
inline GroupLimits gpu_limits(uint64_t max_items, const Size3 &max_size, uint64_t multiple,
                              uint64_t units) {
  constexpr uint64_t kUsualItems = 256;  // of a group whose size the backend chooses, at most
  constexpr uint64_t kPartsPerUnit = 4;  // so that few units are without work at the end
  GroupLimits limits;
  limits.max_items = std::min(max_items, kUsualItems);
  limits.max_size = max_size;
  limits.least = std::min(multiple, limits.max_items);
  limits.row = limits.max_items;
  limits.parts = kPartsPerUnit * units;
  return limits;
}

// Chooses the size of groups if the host leaves it to the backend: small enough for as many groups
// as keep the device busy, and first long in x, so that neighbours in memory are in the same group.
inline Size3 choose_group_size(const uint64_t (&grid_size)[3], const GroupLimits &limits) {
  constexpr uint64_t kLongest = 0x7fffffff;  // prevents overflow
  const uint64_t x = std::clamp<uint64_t>(grid_size[0], 1, kLongest);
  const uint64_t y = std::clamp<uint64_t>(grid_size[1], 1, kLongest);
  const uint64_t z = std::max<uint64_t>(grid_size[2], 1);
  const uint64_t rows = z > UINT64_MAX / kLongest / y ? UINT64_MAX / kLongest : y * z;
  const uint64_t most = std::max(limits.max_items / limits.least, uint64_t{1});
  const uint64_t share = (x * rows - 1) / limits.parts / limits.least + 1;
  const uint64_t target = std::min(std::min(share, most) * limits.least, limits.max_items);
  const uint64_t width =
      rows == 1 ? target : std::min(std::max(target, limits.row), limits.max_items);
  Size3 size{};
  size[0] = std::min({x, width, limits.max_size[0]});
  size[1] = std::min({y, std::max<uint64_t>(1, target / size[0]), limits.max_size[1]});
  size[2] = std::min({z, std::max<uint64_t>(1, target / (size[0] * size[1])), limits.max_size[2]});
  return size;
}

// The launch options that a backend supports beside sizes.
struct LaunchOptions {
  uint64_t flags = 0;  // NXS_LaunchFlags_* bits
  bool clusters = false;
};

// Copies the flags and the cluster size of a launch. Throws NXS_NotSupported for those that the
// backend does not support, and NXS_InvalidWorkGroupSize for an invalid cluster size.
inline void read_options(const nxs_launch &given, const LaunchOptions &taken, Launch &made) {
  if ((given.flags & ~taken.flags) != 0) {
    throw Error(NXS_NotSupported,
                "flags has bits that the backend does not take: ", given.flags & ~taken.flags,
                "; it takes ", taken.flags);
  }
  made.flags = given.flags;
  const uint64_t (&cluster)[3] = given.cluster_size;
  if (cluster[0] == 0 && cluster[1] == 0 && cluster[2] == 0) return;
  if (!taken.clusters) {
    throw Error(NXS_NotSupported, "cluster_size is ", cluster[0], " x ", cluster[1], " x ",
                cluster[2], ", and the backend has no clusters; leave it 0");
  }
  constexpr uint64_t kMost = 0xffff;  // in a dimension; prevents overflow
  for (std::size_t d = 0; d < 3; ++d) {
    if (cluster[d] == 0 || cluster[d] > kMost) {
      throw Error(NXS_InvalidWorkGroupSize, "cluster_size[", d, "] is ", cluster[d],
                  "; it must be from 1 to ", kMost);
    }
    made.cluster_size[d] = cluster[d];
  }
}

// Returns whether the host leaves the size of the groups to the backend.
inline bool is_group_size_open(const nxs_launch &launch) {
  return launch.group_size[0] == 0 && launch.group_size[1] == 0 && launch.group_size[2] == 0;
}

// Returns how many groups, in whole clusters, cover the items of a dimension. For groups whose size
// the backend chose. Throws NXS_InvalidGlobalWorkSize if they exceed 64 bits.
inline uint64_t groups_for(uint64_t items, uint64_t group, uint64_t cluster) {
  const uint64_t whole = std::max<uint64_t>(cluster, 1);
  const uint64_t groups = items == 0 ? 0 : (items - 1) / group / whole * whole + whole;
  if (items == 0 || groups >= whole) return groups;
  throw Error(NXS_InvalidGlobalWorkSize, "grid_size has ", items,
              " work items in a dimension, which whole clusters of ", whole,
              " groups can't cover in 64 bits");
}

// Copies the launch, which libnexus has checked and completed. If the group size is left to the
// backend, takes chosen_group_size and counts the groups. max_group_items: the most work items of a
// group. Throws NXS_InvalidWorkGroupSize and NXS_NotSupported; for clusters also
// NXS_InvalidGlobalWorkSize.
inline Launch check_launch(const nxs_launch *launch, const Size3 &chosen_group_size,
                           uint64_t max_group_items, const LaunchOptions &options = {}) {
  const nxs_launch &given = check_struct(launch, "launch");
  const bool choose = is_group_size_open(given);
  Launch made;
  made.local_memory = given.local_memory;
  read_options(given, options, made);
  uint64_t items_left = max_group_items;
  for (std::size_t d = 0; d < 3; ++d) {
    made.grid_size[d] = given.grid_size[d];
    made.group_size[d] = choose ? chosen_group_size[d] : given.group_size[d];
    items_left = made.group_size[d] == 0 ? 0 : items_left / made.group_size[d];
    if (items_left == 0) {
      throw Error(NXS_InvalidWorkGroupSize, "group_size is ", given.group_size[0], " x ",
                  given.group_size[1], " x ", given.group_size[2], "; a group has 1 to ",
                  max_group_items, " work items");
    }
    made.group_count[d] =
        choose ? groups_for(made.grid_size[d], made.group_size[d], made.cluster_size[d])
               : given.group_count[d];
  }
  return made;
}

// Throws NXS_InvalidWorkGroupSize if the group size differs from the one that the kernel requires,
// if any, or has more work items in a dimension than the device allows.
inline void check_group_size(const Size3 &size, const std::optional<Size3> &required,
                             const Size3 &most = {UINT64_MAX, UINT64_MAX, UINT64_MAX}) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (required && size[d] != (*required)[d]) {
      throw Error(NXS_InvalidWorkGroupSize, "group_size[", d, "] is ", size[d],
                  "; it was written for groups of ", (*required)[0], " x ", (*required)[1], " x ",
                  (*required)[2], ": give that, or leave group_size out");
    }
    if (size[d] > most[d]) {
      throw Error(NXS_InvalidWorkGroupSize, "group_size[", d, "] is ", size[d],
                  "; the device takes ", most[d], " at most");
    }
  }
}

// Throws NXS_InvalidGlobalWorkSize if an id does not fit an int, the type of ids in the portable
// language. Counts the whole last group, which may reach beyond the grid.
inline void check_int_ids(const Launch &launch) {
  constexpr uint64_t kMost = 0x7fffffff;
  for (std::size_t d = 0; d < 3; ++d) {
    if (launch.group_count[d] <= kMost / launch.group_size[d]) continue;
    // The product below can't overflow: a launch has fewer than 2^64 work items.
    throw Error(NXS_InvalidGlobalWorkSize, "grid_size[", d, "] is ", launch.grid_size[d], ", and ",
                launch.group_count[d], " groups of ", launch.group_size[d], " cover it, which are ",
                launch.group_count[d] * launch.group_size[d], " work items; a kernel counts up to ",
                kMost, " in a dimension: make it smaller, or use another dimension too");
  }
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_LAUNCH_HPP_
