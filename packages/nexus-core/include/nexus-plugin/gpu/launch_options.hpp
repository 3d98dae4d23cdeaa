// SPDX-License-Identifier: Apache-2.0
// Options of launches, and the occupancy of kernels. Beside the members in kernel.hpp, G has
//
//   static constexpr LaunchOptions kLaunchOptions = ...;  // those that some devices support
//   // Returns the groups that one multiprocessor runs at the same time.
//   static Result active_groups(int *groups, Function function, int items,
//                               uint64_t dynamic_shared) noexcept;
//   // Returns the bytes of local memory that each of these groups can have beside what the kernel
//   // declares. Throws the driver's error.
//   static uint64_t free_shared(const Kernel &kernel, uint64_t groups, uint64_t items);
//   // Checks the other options. Throws as check_options().
//   static void check_other_options(const Kernel &kernel, const Launch &launch,
//                                   uint64_t dynamic_shared);
//
// and if kLaunchOptions has clusters, with the device current,
//
//   // Return the groups of the largest cluster, 0 if the device has no clusters, and the clusters
//   // that the device runs at the same time. Throw the driver's error.
//   static uint64_t max_cluster_size(const Kernel &, const Launch &, uint64_t dynamic_shared);
//   static uint64_t active_clusters(const Kernel &, const Launch &, uint64_t dynamic_shared);
//
// Its Device has architecture(), multiprocessors() and has_cooperative_launch().
#ifndef NEXUS_PLUGIN_GPU_LAUNCH_OPTIONS_HPP_
#define NEXUS_PLUGIN_GPU_LAUNCH_OPTIONS_HPP_

#include <nexus-plugin/gpu/kernel.hpp>
#include <nexus-plugin/kernel/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class Device>
[[noreturn]] void throw_lacking(std::string_view what, const Device &device) {
  throw Error(NXS_NotSupported, what, ", which the device '", device.name(), "' (",
              device.architecture(), ") does not have; leave it out");
}

inline std::string size_text(const Size3 &size) {
  return join(size[0], " x ", size[1], " x ", size[2]);
}

inline uint64_t at_least_zero(int number) noexcept {
  return number > 0 ? static_cast<uint64_t>(number) : 0;
}

inline constexpr const char *kAskingOccupancy = "asking for the occupancy of a kernel";

// For the functions below the kernel was allowed that much dynamic shared memory, and the device is
// current. They throw the driver's error.

// Returns how many groups one multiprocessor runs at the same time.
template <class G, class Kernel>
uint64_t active_groups(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  int groups = 0;
  kernel.device().check(
      G::active_groups(&groups, kernel.function(), static_cast<int>(launch.items_per_group()),
                       dynamic_shared),
      kAskingOccupancy);
  return at_least_zero(groups);
}

// Returns how many groups the device runs at the same time.
template <class G, class Kernel>
uint64_t max_groups(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  if constexpr (G::kLaunchOptions.clusters) {
    if (launch.has_clusters()) {
      return G::active_clusters(kernel, launch, dynamic_shared) * launch.groups_per_cluster();
    }
  }
  return active_groups<G>(kernel, launch, dynamic_shared) * kernel.device().multiprocessors();
}

// Checks that the device supports the options of a launch, and that its clusters or its cooperative
// groups fit on the device. Throws NXS_NotSupported, NXS_InvalidWorkGroupSize,
// NXS_InvalidGlobalWorkSize.
template <class G, class Kernel>
void check_options(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared) {
  G::check_other_options(kernel, launch, dynamic_shared);
  if (!launch.cooperative()) return;
  if (!kernel.device().has_cooperative_launch()) {
    throw_lacking("cooperative_launch is true", kernel.device());
  }
  const typename G::Use current(kernel.device());
  const uint64_t most = max_groups<G>(kernel, launch, dynamic_shared);
  if (launch.groups() <= most) return;
  throw Error(NXS_InvalidGlobalWorkSize, "group_count is ", size_text(launch.group_count), ", ",
              launch.groups(), " groups of ", launch.items_per_group(),
              " work items, and cooperative_launch is true; the device runs ", most,
              " of them at the same time: launch fewer, or let each do more");
}

// ---- nxsGetKernelOccupancy ----------------------------------------------------

namespace detail {

// Returns a launch of one group or cluster of the given sizes. Without a group size, takes the best
// one.
template <class G, class Kernel>
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
  const Launch checked = check_launch(&one, chosen, kernel.max_group_items(), G::kLaunchOptions);
  check_options<G>(kernel, checked, asked.local_memory);
  return checked;
}

template <class G, class Kernel>
nxs_occupancy occupancy_of(const Kernel &kernel, const nxs_launch &asked) {
  kernel.device().refuse_lost();
  const typename G::Use current(kernel.device());
  const uint64_t shared = asked.local_memory;
  kernel.allow_dynamic_shared(shared);
  nxs_occupancy told{};
  told.best_group_size = kernel.best_group_items(shared);
  const Launch launch = launch_of_one<G>(kernel, asked, told.best_group_size);
  told.active_groups = active_groups<G>(kernel, launch, shared);
  told.max_groups = max_groups<G>(kernel, launch, shared);
  if constexpr (G::kLaunchOptions.clusters) {
    told.max_cluster_size = G::max_cluster_size(kernel, launch, shared);
    if (launch.has_clusters()) told.active_clusters = G::active_clusters(kernel, launch, shared);
  }
  if (told.active_groups == 0) return told;
  told.free_local_memory = G::free_shared(kernel, told.active_groups, launch.items_per_group());
  return told;
}

}  // namespace detail

// Implements nxsGetKernelOccupancy.
template <class G, class Kernel>
void get_occupancy(const Kernel &kernel, const nxs_launch *launch, nxs_occupancy *out_occupancy) {
  const nxs_launch &given = check_struct(launch, "launch");
  nxs_occupancy &out = check_struct(out_occupancy, "out_occupancy");
  nxs_occupancy told = detail::occupancy_of<G>(kernel, given);
  told.struct_size = out.struct_size;
  std::memcpy(&out, &told, std::min<uint64_t>(out.struct_size, sizeof(told)));
}

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsGetKernelOccupancy. kernels: the handle table.
#define NEXUS_PLUGIN_GPU_OCCUPANCY(G, kernels)                                         \
  NEXUS_PLUGIN_FUNCTION(GetKernelOccupancy,                                            \
                        (nxs_id kernel, const nxs_launch *launch, nxs_occupancy *out), \
                        nexus_plugin::gpu::get_occupancy<G>(*(kernels).pin(kernel), launch, out))

#endif  // NEXUS_PLUGIN_GPU_LAUNCH_OPTIONS_HPP_
