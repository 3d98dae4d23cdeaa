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

/// What a kernel says of one of its arguments.
struct Argument {
  std::string name;  ///< May be empty.
  nxs_argument_kind kind;
  nxs_data_type dataType;  ///< Of the scalar, or of the buffer's elements.
  std::uint64_t size;      ///< Bytes of a scalar, 0 for others.
  std::string type;        ///< As the program has it, such as "const float *"; may be empty.
};

/// How many groups of a kernel a device runs at the same time.
struct Occupancy {
  std::uint64_t activeGroups;     ///< Of a compute unit; 0: there is no room for one.
  std::uint64_t maxGroups;        ///< Of the device: the most of a cooperative launch.
  std::uint64_t bestGroupSize;    ///< Work items of the groups that keep the device busiest.
  std::uint64_t freeLocalMemory;  ///< Bytes that each group can have while as many run.
  std::uint64_t maxClusterSize;   ///< Groups of a cluster; 0: the device has no clusters.
  std::uint64_t activeClusters;   ///< Of the device; 0 where no clusters are asked for.
};

/// A function that runs on a device. Made by Library::getKernel; keeps its library alive.
class Kernel : public Object {
 public:
  Kernel() noexcept = default;
  /// Takes over the caller's reference.
  explicit Kernel(nexus_kernel *object) noexcept : Object(object) {}

  std::string getName() const { return getProperty<std::string>(NP_Name); }

  /// How many arguments there are, or nothing where the kernel does not describe itself.
  std::optional<std::uint32_t> getArgumentCount() const {
    std::uint32_t count = 0;
    const nxs_status status = nexus_kernel_get_argument_count(get(), &count);
    if (status == NXS_KernelArgInfoNotAvailable || status == NXS_NotSupported) {
      return std::nullopt;
    }
    detail::check(status);
    return count;
  }

  /// What the kernel says of one argument. NXS_KernelArgInfoNotAvailable where it says nothing,
  /// NXS_InvalidArgIndex where it has no such argument.
  Argument getArgument(std::uint32_t index) const {
    nxs_argument_info info{};
    info.struct_size = sizeof(info);
    detail::check(nexus_kernel_get_argument(get(), index, &info));
    return {std::string(detail::toView(info.name)), info.kind, info.data_type, info.size,
            std::string(detail::toView(info.type))};
  }

  /// The arguments in order, or nothing where the kernel does not describe itself.
  std::optional<std::vector<Argument>> getArguments() const {
    const std::optional<std::uint32_t> count = getArgumentCount();
    if (!count) {
      return std::nullopt;
    }
    std::vector<Argument> arguments;
    arguments.reserve(*count);
    for (std::uint32_t index = 0; index < *count; ++index) {
      arguments.push_back(getArgument(index));
    }
    return arguments;
  }

  /// For groups of that size (empty: the best one), with localMemory bytes beyond what the kernel
  /// declares, in such clusters. NXS_NotSupported where the backend does not tell, or has no
  /// clusters; NXS_OutOfResources where the device has not that much local memory.
  Occupancy getOccupancy(const Extent &groupSize = {}, std::uint64_t localMemory = 0,
                         const Extent &clusterSize = {}) const {
    Launch launch;
    launch.groupSize = groupSize;
    launch.localMemory = localMemory;
    launch.clusterSize = clusterSize;
    const nexus_launch_desc desc = launch.toNative();
    nxs_occupancy told{};
    told.struct_size = sizeof(told);
    detail::check(nexus_kernel_get_occupancy(get(), &desc, &told));
    return {told.active_groups,     told.max_groups,       told.best_group_size,
            told.free_local_memory, told.max_cluster_size, told.active_clusters};
  }
};

}  // namespace nexus

#endif  // NEXUS_KERNEL_HPP_
