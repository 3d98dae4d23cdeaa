// SPDX-License-Identifier: Apache-2.0
// Copies and fills of buffers, enqueued once or recorded in schedules.
#ifndef NEXUS_CUDA_TRANSFER_HPP_
#define NEXUS_CUDA_TRANSFER_HPP_

#include "buffer.hpp"
#include "device_step.hpp"
#include "stream.hpp"

#include <nexus-plugin/range.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// A copy from buffer to buffer, or a fill. Immutable.
class Transfer {
 public:
  // As nxsTransferBuffer, for work of that device.
  static Transfer copy(Device &device, const nxs_buffer_range *destination,
                       const nxs_buffer_range *source);
  // As nxsFillBuffer, for work of that device.
  static Transfer fill(Device &device, const nxs_buffer_range *range, const void *pattern,
                       uint64_t pattern_size);

  bool is_copy() const noexcept { return is_copy_; }
  // Empty where no byte is to be moved.
  const DeviceSteps &steps() const noexcept { return steps_; }
  // The destination first.
  const std::vector<nexus_plugin::Ref<Buffer>> &used() const noexcept { return used_; }

  // Enqueues all its steps in a stream of that lane.
  // Notes the lane in the buffers.
  void used_in(const Lane &lane) const noexcept;
  void enqueue(Enqueuing &work, const Lane &lane) const;

 private:
  Transfer() = default;

  bool is_copy_ = false;
  DeviceSteps steps_;
  std::vector<nexus_plugin::Ref<Buffer>> used_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_TRANSFER_HPP_
