// SPDX-License-Identifier: Apache-2.0
// Copies and fills of buffers, enqueued once or recorded in schedules.
#ifndef NEXUS_OPENCL_TRANSFER_HPP_
#define NEXUS_OPENCL_TRANSFER_HPP_

#include "buffer.hpp"
#include "stream.hpp"

#include <nexus-plugin/range.hpp>
#include <span>

namespace nexus_opencl NXS_HIDDEN {

using WaitList = std::span<const cl_event>;

class Copy {
 public:
  // As nxsTransferBuffer, for work of that device.
  Copy(const Device &device, const nxs_buffer_range *destination, const nxs_buffer_range *source);

  bool empty() const noexcept { return source_.size == 0; }
  // last: an event of its own is wanted.
  void enqueue(Enqueuing &work, WaitList waits, bool last) const;
  void record(const Functions &cl, cl_command_buffer_khr into) const;

  nxs_id destination_id() const { return buffers.id(destination_.buffer); }
  nxs_id source_id() const { return buffers.id(source_.buffer); }

 private:
  nexus_plugin::BufferRange<Buffer> destination_, source_;
};

class Fill {
 public:
  // As nxsFillBuffer, for work of that device.
  Fill(const Device &device, const nxs_buffer_range *range, const void *pattern,
       uint64_t pattern_size);

  bool empty() const noexcept { return range_.size == 0; }
  void enqueue(Enqueuing &work, WaitList waits, bool last) const;
  void record(const Functions &cl, cl_command_buffer_khr into) const;

  nxs_id destination_id() const { return buffers.id(range_.buffer); }

 private:
  nexus_plugin::BufferRange<Buffer> range_;
  nexus_plugin::FillPattern pattern_;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_TRANSFER_HPP_
