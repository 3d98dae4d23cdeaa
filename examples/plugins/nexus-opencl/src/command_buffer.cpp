// SPDX-License-Identifier: Apache-2.0
#include "command_buffer.hpp"

#include <algorithm>
#include <nexus-plugin/host.hpp>
#include <string_view>
#include <vector>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::Ref;

namespace {

constexpr std::string_view kExtension = "cl_khr_command_buffer";
// Before, commands took no list of properties: another signature.
constexpr cl_version kOldest = (0U << 22) | (9U << 12) | 5U;

cl_version version_of(const Device &device, std::string_view extension) {
  size_t size = 0;
  const Functions &cl = device.cl();
  if (cl.GetDeviceInfo(device.id(), CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &size) !=
      CL_SUCCESS) {
    return 0;
  }
  std::vector<cl_name_version> all(size / sizeof(cl_name_version));
  if (cl.GetDeviceInfo(device.id(), CL_DEVICE_EXTENSIONS_WITH_VERSION, size, all.data(), nullptr) !=
      CL_SUCCESS) {
    return 0;
  }
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const cl_name_version &each) { return extension == each.name; });
  return found == all.end() ? 0 : found->version;
}

cl_bitfield bits(const Device &device, cl_info info, cl_bitfield otherwise) {
  return device.number<cl_bitfield>(info).value_or(otherwise);
}

bool has_functions(const Functions &cl) {
  return cl.CreateCommandBufferKHR != nullptr && cl.FinalizeCommandBufferKHR != nullptr &&
         cl.ReleaseCommandBufferKHR != nullptr && cl.EnqueueCommandBufferKHR != nullptr &&
         cl.CommandCopyBufferKHR != nullptr && cl.CommandFillBufferKHR != nullptr &&
         cl.CommandNDRangeKernelKHR != nullptr;
}

// Of the configuration: 1 or 0. Intel's runtime for processors (2026.22.10.0.01) takes longer for a
// command buffer than for its commands, so that processors have none where nobody asks for them.
bool wanted_on(const Device &device) {
  const std::string_view asked = nexus_plugin::get_config("command_buffers");
  return asked.empty() ? (device.type() & CL_DEVICE_TYPE_CPU) == 0 : asked == "1";
}

// Returns whether it may be made for queues as our streams have them: in order, with clocks.
bool takes_our_queues(const Device &device) {
  const cl_bitfield needed =
      bits(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, 0);
  const cl_bitfield taken = bits(device, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
                                 CL_QUEUE_PROFILING_ENABLE);
  return (needed & ~CL_QUEUE_PROFILING_ENABLE) == 0 && (taken & CL_QUEUE_PROFILING_ENABLE) != 0;
}

}  // namespace

bool CommandBuffer::offered_by(const Device &device) {
  return wanted_on(device) && has_functions(device.cl()) &&
         version_of(device, kExtension) >= kOldest && takes_our_queues(device);
}

bool CommandBuffer::record(const Ref<Stream> &stream, std::span<const Command *const> steps) {
  clear();
  stream_ = stream;
  const Device &device = stream->device();
  if (!offered_by(device)) return false;
  may_overlap_ = (bits(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 0) &
                  CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) != 0;
  const cl_properties flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                 CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
  const cl_command_queue queue = stream->queue();
  cl_int error = CL_SUCCESS;
  Owned<cl_command_buffer_khr> made(
      device.cl(),
      device.cl().CreateCommandBufferKHR(1, &queue, may_overlap_ ? flags : nullptr, &error));
  if (error != CL_SUCCESS) return false;
  try {
    for (const Command *command : steps) {
      if (const KernelCommand *kernel = command->kernel()) {
        kernel->record(made.get());
      } else {
        command->transfer()->record(device.cl(), made.get());
      }
    }
    check(device.cl().FinalizeCommandBufferKHR(made.get()), "finalizing a command buffer");
  } catch (const Error &) {
    return false;  // enqueued singly they say what is wrong
  }
  buffer_ = std::move(made);
  return true;
}

bool CommandBuffer::serves(const Stream &stream) const {
  return buffer_ && stream_.get() == &stream &&
         (may_overlap_ || last_ticket_ == 0 || stream_->tickets().done(last_ticket_));
}

void CommandBuffer::enqueue(Enqueuing &work, WaitList waits) const {
  check(
      work.cl.EnqueueCommandBufferKHR(0, nullptr, buffer_.get(), static_cast<cl_uint>(waits.size()),
                                      waits.empty() ? nullptr : waits.data(), &work.event),
      "running the commands of a schedule");
}

void CommandBuffer::clear() noexcept {
  buffer_ = {};
  stream_ = {};
  last_ticket_ = 0;
}

}  // namespace nexus_opencl
