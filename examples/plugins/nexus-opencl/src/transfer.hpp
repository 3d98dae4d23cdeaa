// SPDX-License-Identifier: Apache-2.0
// Copies and fills of buffers, enqueued once or recorded in schedules.
#ifndef NEXUS_OPENCL_TRANSFER_HPP_
#define NEXUS_OPENCL_TRANSFER_HPP_

#include "recording.hpp"

#include <span>

namespace nexus_opencl NXS_HIDDEN {

using WaitList = std::span<const cl_event>;

struct Transfer : nexus_plugin::BufferTransfer<Buffer> {
  explicit Transfer(nexus_plugin::BufferTransfer<Buffer> checked);

  nxs_ticket submit_to(Stream &stream) const;
  // last: an event of its own is wanted.
  void enqueue(Enqueuing &work, WaitList waits, bool last) const;
  void record(const Functions &cl, cl_command_buffer_khr into) const;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_TRANSFER_HPP_
