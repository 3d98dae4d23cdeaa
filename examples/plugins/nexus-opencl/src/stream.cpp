// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <nexus-plugin/functions.hpp>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::Ref;

constinit nexus_plugin::HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

constexpr const char *kPriorities = "cl_khr_priority_hints";

cl_properties priority_hint(const Device &device, int32_t priority) {
  if (!device.has(kPriorities) || device.cl().CreateCommandQueueWithProperties == nullptr) {
    throw Error(NXS_InvalidValue, "priority is ", priority, "; the device '", device.name(),
                "' has no priorities, give 0");
  }
  if (priority < -1 || priority > 1) {
    throw Error(NXS_InvalidValue, "priority is ", priority, "; it must be -1, 0 or 1");
  }
  return priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
}

// With clocks, which are chosen before anybody asks for a timed event.
Owned<cl_command_queue> make_queue(const Device &device, int32_t priority) {
  const Functions &cl = device.cl();
  const cl_properties hint = priority == 0 ? 0 : priority_hint(device, priority);
  cl_int error = CL_SUCCESS;
  cl_command_queue queue = nullptr;
  if (cl.CreateCommandQueueWithProperties != nullptr) {
    const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
                                          hint == 0 ? 0 : CL_QUEUE_PRIORITY_KHR, hint, 0};
    queue = cl.CreateCommandQueueWithProperties(device.context(), device.id(), wanted, &error);
  } else {
    queue = cl.CreateCommandQueue(device.context(), device.id(), CL_QUEUE_PROFILING_ENABLE, &error);
  }
  check(error, "making a stream");
  return Owned<cl_command_queue>(cl, queue);
}

}  // namespace

void enqueue_marker(Enqueuing &work) {
  check(work.cl.EnqueueMarkerWithWaitList(work.queue, 0, nullptr, &work.event),
        "enqueuing a marker");
}

void flush(Enqueuing &work) {
  check(work.cl.Flush(work.queue), "handing work to the device");
}

Stream::Stream(const Device &device, int32_t priority)
    : QueuedStream(device, priority, {&device, make_queue(device, priority)}) {}

Signal Stream::signal(bool timed) {
  Signal made{Ref<Stream>::to(*this), 0, {}};
  const std::lock_guard lock(tickets().mutex());
  const auto enqueue = [&](Enqueuing &work) {
    if (timed) enqueue_marker(work);
  };
  made.ticket = submit_locked(enqueue, {});
  made.event = tickets().newest_event();
  return made;
}

namespace {

constexpr nexus_plugin::PropertyTable<Stream, 0> stream_properties{};

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RELEASE(Stream, streams)
NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)
NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),
                    streams.create(device_of(device), priority))
