// SPDX-License-Identifier: Apache-2.0
// Copies and fills of buffers, enqueued once or recorded in schedules.
#ifndef NEXUS_CUDA_TRANSFER_HPP_
#define NEXUS_CUDA_TRANSFER_HPP_

#include <cstdint>
#include <variant>
#include <vector>
#include "execution/recording.hpp"

namespace nexus_cuda NXS_HIDDEN {

// The driver's steps of a copy or a fill: one or more, enqueued in a stream or added to a graph.
struct CopyStep {
  CUdeviceptr destination = 0, source = 0;
  uint64_t size = 0;
};
using FillStep = CUDA_MEMSET_NODE_PARAMS;
using DeviceStep = std::variant<CopyStep, FillStep>;
using DeviceSteps = std::vector<DeviceStep>;

// With the device's context current. Returns what the driver says.
CUresult add_step(const DeviceStep &step, CUgraph graph, CUcontext context,
                  CUgraphNode &last) noexcept;

// A copy from buffer to buffer, or a fill. Immutable.
class Transfer : public nexus_plugin::BufferTransfer<Buffer> {
 public:
  explicit Transfer(nexus_plugin::BufferTransfer<Buffer> checked);

  // Empty where no byte is to be moved.
  const DeviceSteps &steps() const noexcept { return steps_; }

  nxs_ticket submit_to(Stream &stream) const;
  // Notes in the buffers that work of the stream uses them.
  void used_in(const PooledStream &pooled) const noexcept;
  // Enqueues all its steps.
  void enqueue(Enqueuing &work) const;

 private:
  DeviceSteps steps_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TRANSFER_HPP_
