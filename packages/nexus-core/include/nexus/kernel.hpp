// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_KERNEL_HPP_
#define NEXUS_KERNEL_HPP_

#include <nexus/buffer.hpp>
#include <nexus/data_type.hpp>
#include <nexus/kernel_calls.hpp>
#include <nexus/launch.hpp>
#include <nexus/object.hpp>
#include <nexus/properties.hpp>
#include <nexus/stream.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nexus {

class Device;

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

namespace detail {

inline CallArgument callArgument(const Buffer &buffer) noexcept {
  return {.kind = NXS_ArgumentKind_Buffer, .buffer = buffer.get()};
}
inline CallArgument callArgument(const LocalMemory &memory) noexcept {
  return {.kind = NXS_ArgumentKind_LocalMemory, .size = memory.size};
}
template <class T>
  requires std::is_trivially_copyable_v<T> && (!std::derived_from<T, Object>)
CallArgument callArgument(const T &value) noexcept {
  return {.kind = NXS_ArgumentKind_Scalar,
          .data = &value,
          .size = sizeof(value),
          .dataType = dataTypeOf<T>()};
}

}  // namespace detail

/// A function that runs on a device. Made by Library::getKernel; keeps its library alive.
class Kernel : public Object {
 public:
  Kernel() noexcept = default;
  /// Takes over the caller's reference.
  explicit Kernel(nexus_kernel *object) noexcept : Object(object) {}

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  std::string getName() const { return getProperty<std::string>(NP_Name); }

  /// Returns the description of a kernel from a kernel catalog; without one, no properties.
  Properties getInfo() const { return detail::result<Properties>(nexus_kernel_get_info, get()); }

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

  /// Returns the index of the argument of that name. Throws NXS_KernelArgInfoNotAvailable if the
  /// kernel does not describe its arguments, NXS_InvalidArgIndex if none has the name.
  std::uint32_t findArgument(std::string_view name) const {
    const auto count = detail::result<std::uint32_t>(nexus_kernel_get_argument_count, get());
    for (std::uint32_t index = 0; index < count; ++index) {
      auto info = detail::sized<nxs_argument_info>();
      detail::check(nexus_kernel_get_argument(get(), index, &info));
      if (detail::toView(info.name) == name) return index;
    }
    throw Error(NXS_InvalidArgIndex, "The kernel '" + getName() + "' has no argument '" +
                                         std::string(name) + "'; see Kernel::getArguments.");
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

  /// Runs the kernel in the stream on a grid of work items, in groups that the backend chooses, and
  /// waits for it: kernel(stream, n, x, y, 2.0f, n). The arguments are buffers, numbers in the
  /// width of their C++ types, and LocalMemory. Any thread may call a kernel.
  template <class... Arguments>
  void operator()(const Stream &stream, const Extent &grid, const Arguments &...arguments) const {
    launch(stream, {.gridSize = grid}, true, arguments...);
  }

  /// The same with all options of a launch. If it is not blocking, it returns at once.
  template <class... Arguments>
  void launch(const Stream &stream, const Launch &launch, bool blocking,
              const Arguments &...arguments) const {
    const std::array<detail::CallArgument, sizeof...(Arguments)> all{
        detail::callArgument(arguments)...};
    run(stream.get(), launch, blocking, all);
  }

  /// The same for other languages' APIs.
  void run(nexus_stream *stream, const Launch &launch, bool blocking,
           std::span<const detail::CallArgument> arguments) const {
    calls_.get().run(get(), stream, launch.toNative(), arguments,
                     blocking ? 0 : NXS_ExecutionSettings_NonBlocking);
  }

 private:
  detail::OwnCalls calls_;
};

}  // namespace nexus

#endif  // NEXUS_KERNEL_HPP_
