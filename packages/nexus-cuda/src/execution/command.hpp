// SPDX-License-Identifier: Apache-2.0
// The commands of schedules: kernels, copies and fills.
#ifndef NEXUS_CUDA_COMMAND_HPP_
#define NEXUS_CUDA_COMMAND_HPP_

#include "execution/kernel.hpp"
#include "memory/buffer.hpp"
#include "stream/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/recording/recording.hpp>
#include <span>
#include <variant>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class KernelCommand;
class Schedule;
class Transfer;

struct Recording : nexus_plugin::RecordingOf<devices, kernels, buffers, streams, KernelCommand,
                                             Transfer, Schedule> {};

using Command = nexus_plugin::Command<Recording>;

// ---- Copies and fills ------------------------------------------------------

// One call of the driver, or one node of a graph. A fill may need several.
struct CopyStep {
  CUdeviceptr destination = 0, source = 0;
  uint64_t size = 0;
};
using FillStep = CUDA_MEMSET_NODE_PARAMS;
using DeviceStep = std::variant<CopyStep, FillStep>;
using DeviceSteps = std::vector<DeviceStep>;

// Adds a step to a graph after the node `last`, unless that is NULL, and sets last to the new node.
// The device's context must be current. Returns the driver's result.
CUresult add_step(const DeviceStep &step, CUgraph graph, CUcontext context,
                  CUgraphNode &last) noexcept;

// A copy from buffer to buffer, or a fill. Immutable.
class Transfer : public nexus_plugin::BufferTransfer<Buffer> {
 public:
  explicit Transfer(nexus_plugin::BufferTransfer<Buffer> checked);

  // Returns no steps for 0 bytes.
  const DeviceSteps &steps() const noexcept { return steps_; }

  nxs_ticket submit_to(Stream &stream) const;
  // Notes in the buffers that work of the stream uses them.
  void used_in(const PooledStream &pooled) const noexcept;
  void enqueue(Enqueuing &work) const;

 private:
  DeviceSteps steps_;
};

// ---- Launches --------------------------------------------------------------

// The options of launches that some devices support.
inline constexpr nexus_plugin::LaunchOptions kLaunchOptions = {
    .flags = NXS_LaunchFlags_Cooperative | NXS_LaunchFlags_Programmatic, .clusters = true};

// Checks that the device supports the options of a launch, and that its clusters or its cooperative
// groups fit on the device. Throws NXS_NotSupported, NXS_InvalidWorkGroupSize,
// NXS_InvalidGlobalWorkSize.
void check_options(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared);

// Returns the attributes of a launch for cuLaunchKernelEx.
std::vector<CUlaunchAttribute> launch_attributes(const Kernel &kernel, const Launch &launch);

// Sets the sizes in a CUlaunchConfig or CUDA_KERNEL_NODE_PARAMS.
template <class Config>
void set_sizes(Config &config, const Size3 &groups, const Size3 &group_size,
               uint64_t dynamic_shared) noexcept {
  const auto number = [](uint64_t size) { return static_cast<unsigned>(size); };
  config.gridDimX = number(groups[0]);
  config.gridDimY = number(groups[1]);
  config.gridDimZ = number(groups[2]);
  config.blockDimX = number(group_size[0]);
  config.blockDimY = number(group_size[1]);
  config.blockDimZ = number(group_size[2]);
  config.sharedMemBytes = number(dynamic_shared);
}

// A launch of a kernel. Finalizing it packs its parameters, so that a run is one call of the
// driver, which copies them. One thread at a time.
class KernelCommand : public nexus_plugin::RecordedKernel<Recording> {
 public:
  explicit KernelCommand(Ref<Kernel> kernel);

  void lower_argument(uint32_t index, const nexus_plugin::Argument<Buffer> &argument);
  Launch lower_launch(const nxs_launch &launch);

  // Returns the driver's result. No context needs to be current.
  CUresult enqueue(CUstream stream) const noexcept {
    config_.hStream = stream;
    return cu.LaunchKernelEx(&config_, kernel().function(), parameters_.data(), nullptr);
  }
  // Returns the launch as parameters of a graph's node, valid until the command changes. The node
  // gets attributes() too.
  CUDA_KERNEL_NODE_PARAMS node() const noexcept;
  std::span<const CUlaunchAttribute> attributes() const noexcept { return attributes_; }
  // Grows when an argument or the launch changes.
  uint64_t version() const noexcept { return version_; }

  void used_in(const PooledStream &pooled) const noexcept;

 private:
  // The parameters in one block of bytes.
  struct Packed {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> offsets;  // by argument; kNone: it is no parameter
    uint64_t dynamic_shared = 0;       // bytes
  };

  Launch check(const nxs_launch &given, uint64_t dynamic_shared) const;
  Packed pack(uint64_t extra_shared) const;
  void write_grid(Packed &packed, const Launch &launch) const;
  void adopt(Packed packed, const Launch &launch);

  Packed packed_;
  std::vector<CUlaunchAttribute> attributes_;
  mutable std::vector<void *> parameters_;  // mutable, since the driver takes no const pointers
  mutable CUlaunchConfig config_{};
  uint64_t version_ = 0;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMMAND_HPP_
