// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, as commands of schedules. Beside the members in launch_options.hpp, G has
//
//   struct Recording;  // as recording.hpp describes it
//   static constexpr uint64_t kMostItems = ...;  // work items of a launch in a dimension
//   class LaunchCall;  // a launch with its parameters, for one call of the driver
//     LaunchCall();    // none
//     // parameters: the addresses of the parameters, which outlive it.
//     LaunchCall(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared,
//                std::vector<void *> parameters);
//     Result enqueue(NativeStream stream) noexcept;
//
// and its Device has max_group_size() and max_group_count().
#ifndef NEXUS_PLUGIN_GPU_KERNEL_COMMAND_HPP_
#define NEXUS_PLUGIN_GPU_KERNEL_COMMAND_HPP_

#include <nexus-plugin/gpu/launch_options.hpp>
#include <nexus-plugin/recording/command.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

namespace detail {

// Of packed parameters, and of arguments in shared memory.
inline constexpr uint64_t kParameterAlignment = 16;

constexpr uint64_t aligned(uint64_t size) noexcept {
  return (size + kParameterAlignment - 1) / kParameterAlignment * kParameterAlignment;
}

template <class Kernel>
Size3 group_size_for(const Kernel &kernel, const nxs_launch &launch, uint64_t dynamic_shared) {
  if (kernel.required_group_size()) return *kernel.required_group_size();
  const auto &device = kernel.device();
  const uint64_t best = kernel.best_group_items(dynamic_shared);
  return choose_group_size(launch.grid_size, gpu_limits(std::min(best, kernel.max_group_items()),
                                                        device.max_group_size(), kernel.warp_size(),
                                                        device.multiprocessors()));
}

// most_items: of a launch in a dimension.
template <class Kernel>
void check_group_count(const Kernel &kernel, const Launch &launch, uint64_t most_items) {
  if (kernel.described()) check_int_ids(launch);
  for (std::size_t d = 0; d < 3; ++d) {
    const uint64_t count = launch.group_count[d];
    const uint64_t most =
        std::min(kernel.device().max_group_count()[d], most_items / launch.group_size[d]);
    if (count > most) {
      throw Error(NXS_InvalidGlobalWorkSize, "grid_size[", d, "] is ", launch.grid_size[d],
                  ", and ", count, " groups of ", launch.group_size[d],
                  " cover it; the device takes ", most,
                  " groups at most there: make the groups larger, or the grid smaller");
    }
  }
}

}  // namespace detail

// A launch of a kernel. Finalizing it packs its parameters, so that a run is one call of the
// driver, which copies them. One thread at a time.
template <class G>
class KernelCommand : public RecordedKernel<typename G::Recording> {
  using Base = RecordedKernel<typename G::Recording>;
  using Address = typename G::Address;

 public:
  using Kernel = typename Base::Kernel;
  using Buffer = typename Base::Buffer;
  using LaunchCall = typename G::LaunchCall;
  using Base::arguments, Base::finalized, Base::kernel;

  explicit KernelCommand(Ref<Kernel> of) : Base(of, of->counted()) {}

  void lower_argument(uint32_t index, const Argument<Buffer> &argument) {
    if (argument.buffer && kernel().counted()) {
      const ArgumentSpec &spec = kernel().specs()[index];
      if (spec.kind == NXS_ArgumentKind_Unknown && spec.size != sizeof(Address)) {
        throw Error(NXS_InvalidArgValue, "argument ", index, " is a buffer, whose address has ",
                    sizeof(Address), " bytes; give a value of ", spec.size, " bytes");
      }
    }
    ++version_;
    if (!finalized()) return;
    const std::size_t offset = packed_.offsets[index];
    if (offset != kNone) write_argument(argument, packed_.bytes.data() + offset);
  }

  Launch lower_launch(const nxs_launch &launch) {
    Packed packed = pack(launch.local_memory);
    kernel().allow_dynamic_shared(packed.dynamic_shared);
    const Launch checked = check(launch, packed.dynamic_shared);
    check_options<G>(kernel(), checked, packed.dynamic_shared);
    if (kernel().described()) write_grid(packed, checked);
    adopt(std::move(packed), checked);
    ++version_;
    return checked;
  }

  // Returns the driver's result.
  Result enqueue(typename G::NativeStream stream) const noexcept { return call_.enqueue(stream); }
  // Valid until the command changes.
  LaunchCall &call() const noexcept { return call_; }
  // Grows when an argument or the launch changes.
  uint64_t version() const noexcept { return version_; }

  // Notes in the buffers that work of the stream uses them.
  void used_in(const Pooled<G> &pooled) const noexcept {
    for (const Argument<Buffer> &argument : arguments()) {
      if (argument.buffer) argument.buffer->used_in(pooled);
    }
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The parameters in one block of bytes.
  struct Packed {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> offsets;  // by argument; kNone: it is not a parameter
    uint64_t dynamic_shared = 0;       // bytes
  };

  // Writes the address of a buffer or the bytes of a scalar.
  static void write_argument(const Argument<Buffer> &argument, std::byte *to) {
    if (argument.buffer) {
      const Address address = argument.buffer->address() + argument.offset;
      std::memcpy(to, &address, sizeof(address));
    } else if (argument.kind == NXS_ArgumentKind_Scalar) {
      std::memcpy(to, argument.scalar.data(), argument.scalar.size());
    }
  }

  Packed pack(uint64_t extra_shared) const {
    using detail::aligned;
    Packed made;
    const std::size_t most = arguments().size() + 1;  // with the grid's size
    made.offsets.reserve(most);
    made.bytes.reserve(most * detail::kParameterAlignment);
    for (const Argument<Buffer> &argument : arguments()) {
      const bool local = argument.kind == NXS_ArgumentKind_LocalMemory;
      if (local && !kernel().described()) {
        made.offsets.push_back(kNone);
        made.dynamic_shared += aligned(argument.size);
        continue;
      }
      const std::size_t at = made.bytes.size();
      const uint64_t scalar = argument.kind == NXS_ArgumentKind_Scalar ? argument.size : 0;
      made.offsets.push_back(at);
      made.bytes.resize(at + aligned(std::max<uint64_t>(scalar, sizeof(Address))));
      if (local) {
        const auto offset = static_cast<uint32_t>(made.dynamic_shared);
        std::memcpy(made.bytes.data() + at, &offset, sizeof(offset));
        made.dynamic_shared += aligned(argument.size);
        if (made.dynamic_shared > kernel().device().max_shared_memory()) {
          kernel().allow_dynamic_shared(made.dynamic_shared);  // throws
        }
      } else {
        write_argument(argument, made.bytes.data() + at);
      }
    }
    made.dynamic_shared = extra_shared > UINT64_MAX - made.dynamic_shared
                              ? UINT64_MAX
                              : made.dynamic_shared + extra_shared;
    return made;
  }

  Launch check(const nxs_launch &given, uint64_t dynamic_shared) const {
    // The driver's answer takes longer than all else here, so it is only asked if needed.
    const Size3 chosen = is_group_size_open(given)
                             ? detail::group_size_for(kernel(), given, dynamic_shared)
                             : Size3{};
    const Launch checked =
        check_launch(&given, chosen, kernel().max_group_items(), G::kLaunchOptions);
    check_group_size(checked.group_size, kernel().required_group_size(),
                     kernel().device().max_group_size());
    detail::check_group_count(kernel(), checked, G::kMostItems);
    return checked;
  }

  static void write_grid(Packed &packed, const Launch &launch) {
    const std::size_t at = packed.bytes.size();
    packed.offsets.push_back(at);
    packed.bytes.resize(at + detail::kParameterAlignment);
    for (std::size_t d = 0; d < 3; ++d) {
      const auto asked = static_cast<int32_t>(launch.grid_size[d]);
      std::memcpy(packed.bytes.data() + at + d * sizeof(asked), &asked, sizeof(asked));
    }
  }

  void adopt(Packed packed, const Launch &launch) {
    std::vector<void *> parameters;
    parameters.reserve(packed.offsets.size());
    for (const std::size_t offset : packed.offsets) {
      if (offset != kNone) parameters.push_back(packed.bytes.data() + offset);
    }
    call_ = LaunchCall(kernel(), launch, packed.dynamic_shared, std::move(parameters));
    packed_ = std::move(packed);
  }

  Packed packed_;
  mutable LaunchCall call_;  // mutable, since the driver takes no const pointers
  uint64_t version_ = 0;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_KERNEL_COMMAND_HPP_
