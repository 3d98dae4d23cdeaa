// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_KERNEL_HPP_
#define NEXUS_KERNEL_HPP_

#include <nexus/launch.hpp>
#include <nexus/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nexus {

/// The description of a kernel's argument.
struct Argument {
  std::string name;  ///< May be empty.
  nxs_argument_kind kind;
  nxs_data_type dataType;  ///< Of the scalar, or of the buffer's elements.
  std::uint64_t size;      ///< Bytes of a scalar, 0 for others.
  std::string type;        ///< As in the program, such as "const float *"; may be empty.
};

/// The number of a kernel's groups that a device runs at the same time.
struct Occupancy {
  std::uint64_t activeGroups;     ///< For each compute unit; 0: none fits.
  std::uint64_t maxGroups;        ///< On the device: the limit of a cooperative launch.
  std::uint64_t bestGroupSize;    ///< Work items of a group, for the best occupancy.
  std::uint64_t freeLocalMemory;  ///< Bytes that each group can have at this occupancy.
  std::uint64_t maxClusterSize;   ///< Groups of a cluster; 0: the device has no clusters.
  std::uint64_t activeClusters;   ///< On the device; 0 without clusters.
};

/// A function that runs on a device. Made by Library::getKernel; keeps its library alive.
class Kernel : public Object {
 public:
  Kernel() noexcept = default;
  /// Takes over the caller's reference.
  explicit Kernel(nexus_kernel *object) noexcept : Object(object) {}

  std::string getName() const { return getProperty<std::string>(NP_Name); }

  /// Returns the number of arguments; nothing if the kernel does not describe them.
  std::optional<std::uint32_t> getArgumentCount() const {
    std::uint32_t count = 0;
    const nxs_status status = nexus_kernel_get_argument_count(get(), &count);
    if (status == NXS_KernelArgInfoNotAvailable || status == NXS_NotSupported) {
      return std::nullopt;
    }
    detail::check(status);
    return count;
  }

  /// Returns the description of one argument. Throws NXS_KernelArgInfoNotAvailable if the kernel
  /// has none, NXS_InvalidArgIndex if there is no such argument.
  Argument getArgument(std::uint32_t index) const {
    auto info = detail::sized<nxs_argument_info>();
    detail::check(nexus_kernel_get_argument(get(), index, &info));
    return {std::string(detail::toView(info.name)), info.kind, info.data_type, info.size,
            std::string(detail::toView(info.type))};
  }

  /// Returns the arguments in order; nothing if the kernel does not describe them.
  std::optional<std::vector<Argument>> getArguments() const {
    const std::optional<std::uint32_t> count = getArgumentCount();
    if (!count) {
      return std::nullopt;
    }
    return detail::listOf(*count, [this](std::uint64_t index) {
      return getArgument(static_cast<std::uint32_t>(index));
    });
  }

  /// Returns the code that the kernel's library was loaded from, for Device::loadLibrary. Throws
  /// NXS_InvalidValue if it was a file that can't be read any more.
  std::string getCode() const { return detail::written(nexus_kernel_get_code, get()); }

  /// Returns the occupancy for groups of that size (empty: the best one), with localMemory bytes
  /// beyond what the kernel declares, in such clusters. Throws NXS_NotSupported if the backend
  /// can't tell, or has no clusters; NXS_OutOfResources if the device has less local memory.
  Occupancy getOccupancy(const Extent &groupSize = {}, std::uint64_t localMemory = 0,
                         const Extent &clusterSize = {}) const {
    const nexus_launch_desc desc =
        Launch{.groupSize = groupSize, .localMemory = localMemory, .clusterSize = clusterSize}
            .toNative();
    auto told = detail::sized<nxs_occupancy>();
    detail::check(nexus_kernel_get_occupancy(get(), &desc, &told));
    return {told.active_groups,     told.max_groups,       told.best_group_size,
            told.free_local_memory, told.max_cluster_size, told.active_clusters};
  }
};

}  // namespace nexus

#endif  // NEXUS_KERNEL_HPP_
