// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OPENCL_COMMAND_BUFFER_HPP_
#define NEXUS_OPENCL_COMMAND_BUFFER_HPP_

#include "kernel_command.hpp"
#include "transfer.hpp"

#include <span>

namespace nexus_opencl NXS_HIDDEN {

// Several commands that a driver takes in one call (cl_khr_command_buffer). It belongs to one
// stream, holds the arguments of the time when it was recorded, and may run once at a time unless
// the driver allows more: so whoever has one enqueues the commands singly where it does not serve.
// Used by one thread at a time.
class CommandBuffer {
 public:
  // Returns whether the driver has them in the form that is used here.
  static bool offered_by(const Device &device);

  // Records the commands for runs in a stream. False where the driver refuses: then it won't do
  // so again until clear() either.
  bool record(const nexus_plugin::Ref<Stream> &stream, std::span<const Command *const> steps);
  // Returns whether a run in the stream can be enqueued now.
  bool serves(const Stream &stream) const;
  void enqueue(Enqueuing &work, WaitList waits) const;
  void enqueued(nxs_ticket ticket) noexcept { last_ticket_ = ticket; }

  bool tried() const noexcept { return static_cast<bool>(stream_); }
  // The commands changed.
  void clear() noexcept;

 private:
  nexus_plugin::Ref<Stream> stream_;  // that it was recorded for
  Owned<cl_command_buffer_khr> buffer_;
  bool may_overlap_ = false;  // it may be enqueued again before it is done
  nxs_ticket last_ticket_ = 0;
};

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_COMMAND_BUFFER_HPP_
