// SPDX-License-Identifier: Apache-2.0
#include "execution/command.hpp"

#include <cstring>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Argument;

namespace {

constexpr uint64_t kAlignment = 16;  // of packed parameters, and of arguments in shared memory
constexpr std::size_t kNone = SIZE_MAX;

constexpr uint64_t aligned(uint64_t size) noexcept {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

Size3 group_size_for(const Kernel &kernel, const nxs_launch &launch, uint64_t dynamic_shared) {
  if (kernel.required_group_size()) return *kernel.required_group_size();
  const Device &device = kernel.device();
  const uint64_t best = kernel.best_group_items(dynamic_shared);
  return nexus_plugin::choose_group_size(
      launch.grid_size,
      nexus_plugin::gpu_limits(std::min(best, kernel.max_group_items()), device.max_group_size(),
                               device.warp_size(), device.multiprocessors()));
}

void check_group_count(const Kernel &kernel, const Launch &launch) {
  if (kernel.portable()) nexus_plugin::check_int_ids(launch);
  const Size3 &most = kernel.device().max_group_count();
  for (std::size_t d = 0; d < 3; ++d) {
    const uint64_t count = launch.group_count[d];
    if (count > most[d]) {
      throw Error(NXS_InvalidGlobalWorkSize, "grid_size[", d, "] is ", launch.grid_size[d],
                  ", and ", count, " groups of ", launch.group_size[d],
                  " cover it; the device takes ", most[d],
                  " groups at most there: make the groups larger, or the grid smaller");
    }
  }
}

// Writes the address of a buffer or the bytes of a scalar.
void write_argument(const Argument<Buffer> &argument, std::byte *to) {
  if (argument.buffer) {
    const CUdeviceptr address = argument.buffer->address() + argument.offset;
    std::memcpy(to, &address, sizeof(address));
  } else if (argument.kind == NXS_ArgumentKind_Scalar) {
    std::memcpy(to, argument.scalar.data(), argument.scalar.size());
  }
}

// Appends zeros as parameters. The driver reads all parameters of a kernel, which may be more than
// were set if their number is not known.
void pad(std::vector<void *> &parameters) {
  constexpr std::size_t kMostParameters = 4096;                   // since each has a byte or more
  alignas(kAlignment) static std::byte zeros[kMostParameters]{};  // never written
  if (parameters.size() < kMostParameters) parameters.resize(kMostParameters, zeros);
}

}  // namespace

KernelCommand::KernelCommand(Ref<Kernel> kernel) : RecordedKernel(kernel, kernel->counted()) {}

// ---- Arguments --------------------------------------------------------

void KernelCommand::lower_argument(uint32_t index, const Argument<Buffer> &argument) {
  if (argument.buffer && kernel().counted() && !kernel().portable()) {
    const uint64_t size = kernel().specs()[index].size;
    if (size != sizeof(CUdeviceptr)) {
      throw Error(NXS_InvalidArgValue, "argument ", index, " is a buffer, whose address has ",
                  sizeof(CUdeviceptr), " bytes; give a value of ", size, " bytes");
    }
  }
  ++version_;
  if (!finalized()) return;
  const std::size_t offset = packed_.offsets[index];
  if (offset == kNone) return;
  write_argument(argument, packed_.bytes.data() + offset);
}

KernelCommand::Packed KernelCommand::pack(uint64_t extra_shared) const {
  Packed made;
  const std::size_t most = arguments().size() + 1;  // with the grid's size
  made.offsets.reserve(most);
  made.bytes.reserve(most * kAlignment);
  for (const Argument<Buffer> &argument : arguments()) {
    const bool local = argument.kind == NXS_ArgumentKind_LocalMemory;
    if (local && !kernel().portable()) {
      made.offsets.push_back(kNone);
      made.dynamic_shared += aligned(argument.size);
      continue;
    }
    const std::size_t at = made.bytes.size();
    made.offsets.push_back(at);
    made.bytes.resize(at + aligned(std::max<uint64_t>(
                               argument.kind == NXS_ArgumentKind_Scalar ? argument.size : 0,
                               sizeof(CUdeviceptr))));
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

void KernelCommand::used_in(const PooledStream &pooled) const noexcept {
  for (const Argument<Buffer> &argument : arguments()) {
    if (argument.buffer) argument.buffer->used_in(pooled);
  }
}

// ---- The launch -------------------------------------------------------

Launch KernelCommand::lower_launch(const nxs_launch &launch) {
  Packed packed = pack(launch.local_memory);
  kernel().allow_dynamic_shared(packed.dynamic_shared);
  const Launch checked = check(launch, packed.dynamic_shared);
  check_options(kernel(), checked, packed.dynamic_shared);
  if (kernel().portable()) write_grid(packed, checked);
  adopt(std::move(packed), checked);
  ++version_;
  return checked;
}

Launch KernelCommand::check(const nxs_launch &given, uint64_t dynamic_shared) const {
  // The driver's answer takes longer than all else here, so it is only asked if needed.
  const Size3 chosen = nexus_plugin::is_group_size_open(given)
                           ? group_size_for(kernel(), given, dynamic_shared)
                           : Size3{};
  const Launch checked =
      nexus_plugin::check_launch(&given, chosen, kernel().max_group_items(), kLaunchOptions);
  nexus_plugin::check_group_size(checked.group_size, kernel().required_group_size(),
                                 kernel().device().max_group_size());
  check_group_count(kernel(), checked);
  return checked;
}

void KernelCommand::write_grid(Packed &packed, const Launch &launch) const {
  const std::size_t at = packed.bytes.size();
  packed.offsets.push_back(at);
  packed.bytes.resize(at + kAlignment);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto asked = static_cast<int32_t>(launch.grid_size[d]);
    std::memcpy(packed.bytes.data() + at + d * sizeof(asked), &asked, sizeof(asked));
  }
}

void KernelCommand::adopt(Packed packed, const Launch &launch) {
  std::vector<void *> parameters;
  parameters.reserve(packed.offsets.size());
  for (const std::size_t offset : packed.offsets) {
    if (offset != kNone) parameters.push_back(packed.bytes.data() + offset);
  }
  if (!kernel().counted()) pad(parameters);
  std::vector<CUlaunchAttribute> attributes = launch_attributes(kernel(), launch);
  packed_ = std::move(packed);
  parameters_ = std::move(parameters);
  set_sizes(config_, launch.group_count, launch.group_size, packed_.dynamic_shared);
  attributes_ = std::move(attributes);
  config_.attrs = attributes_.data();
  config_.numAttrs = static_cast<unsigned>(attributes_.size());
}

CUDA_KERNEL_NODE_PARAMS KernelCommand::node() const noexcept {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel().function();
  set_sizes(node, {config_.gridDimX, config_.gridDimY, config_.gridDimZ},
            {config_.blockDimX, config_.blockDimY, config_.blockDimZ}, config_.sharedMemBytes);
  node.kernelParams = parameters_.data();
  return node;
}

}  // namespace nexus_cuda
