// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

namespace nexus_opencl NXS_HIDDEN {
namespace {

constexpr const char *kCopying = "copying a buffer to a buffer";
constexpr const char *kFilling = "filling a buffer";

nexus_plugin::BufferRange<Buffer> range_of(const Device &device, const nxs_buffer_range *range,
                                           const char *parameter) {
  auto made = nexus_plugin::pin_range(buffers, range, parameter);
  check_same_device("buffer", made.buffer->device(), device);
  return made;
}

const cl_event *events_of(WaitList waits) {
  return waits.empty() ? nullptr : waits.data();
}

}  // namespace

Copy::Copy(const Device &device, const nxs_buffer_range *destination,
           const nxs_buffer_range *source)
    : destination_(range_of(device, destination, "destination")),
      source_(range_of(device, source, "source")) {
  nexus_plugin::check_copy(destination_, source_);
}

void Copy::enqueue(Enqueuing &work, WaitList waits, bool last) const {
  if (empty()) return;
  check(work.cl.EnqueueCopyBuffer(
            work.queue, source_.buffer->memory(), destination_.buffer->memory(), source_.offset,
            destination_.offset, source_.size, static_cast<cl_uint>(waits.size()), events_of(waits),
            last ? &work.event : nullptr),
        kCopying);
  work.begun = true;
}

void Copy::record(const Functions &cl, cl_command_buffer_khr into) const {
  check(cl.CommandCopyBufferKHR(into, nullptr, nullptr, source_.buffer->memory(),
                                destination_.buffer->memory(), source_.offset, destination_.offset,
                                source_.size, 0, nullptr, nullptr, nullptr),
        kCopying);
}

Fill::Fill(const Device &device, const nxs_buffer_range *range, const void *pattern,
           uint64_t pattern_size)
    : range_(range_of(device, range, "range")), pattern_(pattern, pattern_size, range_) {}

void Fill::enqueue(Enqueuing &work, WaitList waits, bool last) const {
  if (empty()) return;
  check(work.cl.EnqueueFillBuffer(work.queue, range_.buffer->memory(), pattern_.data(),
                                  pattern_.size(), range_.offset, range_.size,
                                  static_cast<cl_uint>(waits.size()), events_of(waits),
                                  last ? &work.event : nullptr),
        kFilling);
  work.begun = true;
}

void Fill::record(const Functions &cl, cl_command_buffer_khr into) const {
  check(cl.CommandFillBufferKHR(into, nullptr, nullptr, range_.buffer->memory(), pattern_.data(),
                                pattern_.size(), range_.offset, range_.size, 0, nullptr, nullptr,
                                nullptr),
        kFilling);
}

}  // namespace nexus_opencl
