// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include <utility>

namespace nexus_opencl NXS_HIDDEN {
namespace {

constexpr const char *kCopying = "copying a buffer to a buffer";
constexpr const char *kFilling = "filling a buffer";

}  // namespace

Transfer::Transfer(nexus_plugin::BufferTransfer<Buffer> checked)
    : BufferTransfer(std::move(checked)) {}

void Transfer::enqueue(Enqueuing &work, WaitList waits, bool last) const {
  if (empty()) return;
  const auto count = static_cast<cl_uint>(waits.size());
  const cl_event *events = waits.empty() ? nullptr : waits.data();
  cl_event *event = last ? &work.event : nullptr;
  if (is_copy()) {
    check(work.cl.EnqueueCopyBuffer(work.queue, from().buffer->memory(), to().buffer->memory(),
                                    from().offset, to().offset, to().size, count, events, event),
          kCopying);
  } else {
    check(work.cl.EnqueueFillBuffer(work.queue, to().buffer->memory(), pattern().data(),
                                    pattern().size(), to().offset, to().size, count, events, event),
          kFilling);
  }
  work.begun = true;
}

void Transfer::record(const Functions &cl, cl_command_buffer_khr into) const {
  if (is_copy()) {
    check(cl.CommandCopyBufferKHR(into, nullptr, nullptr, from().buffer->memory(),
                                  to().buffer->memory(), from().offset, to().offset, to().size, 0,
                                  nullptr, nullptr, nullptr),
          kCopying);
  } else {
    check(cl.CommandFillBufferKHR(into, nullptr, nullptr, to().buffer->memory(), pattern().data(),
                                  pattern().size(), to().offset, to().size, 0, nullptr, nullptr,
                                  nullptr),
          kFilling);
  }
}

nxs_ticket Transfer::submit_to(Stream &stream) const {
  return stream.submit([&](Enqueuing &work) { enqueue(work, {}, true); });
}

}  // namespace nexus_opencl
