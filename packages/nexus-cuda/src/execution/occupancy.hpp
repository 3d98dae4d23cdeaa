// SPDX-License-Identifier: Apache-2.0
// How many groups of a kernel the device runs at the same time.
#ifndef NEXUS_CUDA_OCCUPANCY_HPP_
#define NEXUS_CUDA_OCCUPANCY_HPP_

#include "execution/kernel.hpp"

namespace nexus_cuda NXS_HIDDEN {

// Resources that one group takes. dynamic_shared was allowed to the kernel before.
struct GroupShape {
  nexus_plugin::Size3 group_size{1, 1, 1};  // threads
  nexus_plugin::Size3 cluster_size{};       // groups; zeros: no clusters
  uint64_t dynamic_shared = 0;              // bytes

  uint64_t items() const noexcept { return group_size[0] * group_size[1] * group_size[2]; }
  bool has_clusters() const noexcept { return cluster_size[0] != 0; }
};

// With the device's context current. They throw what the driver says.
uint64_t active_groups(const Kernel &kernel, const GroupShape &shape);    // of a multiprocessor
uint64_t active_clusters(const Kernel &kernel, const GroupShape &shape);  // of the device
uint64_t max_groups(const Kernel &kernel, const GroupShape &shape);       // of the device
uint64_t max_cluster_size(const Kernel &kernel, const GroupShape &shape);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_OCCUPANCY_HPP_
