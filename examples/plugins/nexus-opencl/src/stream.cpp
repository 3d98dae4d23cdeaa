// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include "relay.hpp"

#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/host_calls.hpp>
#include <nexus-plugin/property_table.hpp>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::check_pointer;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::Ref;
using nexus_plugin::Value;

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

Stream::Stream(const Device &device, int32_t priority)
    : device_(&device),
      priority_(priority),
      queue_(make_queue(device, priority)),
      tickets_(native()) {}

Stream::~Stream() = default;

void Stream::flush() {
  check(device_->cl().Flush(queue_.get()), kHandingOver);
}

nxs_ticket Stream::mark() {
  return submit([](Enqueuing &) {});
}

Signal Stream::signal(bool timed) {
  Signal made{Ref<Stream>::to(*this), 0, {}};
  const std::lock_guard lock(tickets_.mutex());
  const auto enqueue = [&](Enqueuing &work) {
    if (timed) enqueue_marker(work);
  };
  made.ticket = submit_locked(enqueue, {});
  made.event = tickets_.newest_event();
  return made;
}

nxs_ticket Stream::wait(const Signal &signal) {
  if (signal.stream.get() == this) return mark();  // in order as it is
  auto condition = ConditionPtr::make(signal.stream, signal.ticket);
  if (!signal.event || signal.stream->tickets().done(signal.ticket)) {
    return submit_marked([](Enqueuing &) {}, std::move(condition));
  }
  const bool same_context = &signal.stream->device().platform() == &device_->platform();
  return submit_marked(
      [&](Enqueuing &work) {
        if (same_context) {
          const cl_event event = signal.event.get();
          check(work.cl.EnqueueBarrierWithWaitList(work.queue, 1, &event, &work.event),
                "enqueuing a wait for an event");
        } else {
          enqueue_relayed_wait(work, signal, device_->context());
        }
      },
      std::move(condition));
}

namespace {

constexpr auto stream_properties = nexus_plugin::property_table<Stream>({
    {NP_LastTicket,
     [](const Stream &stream) -> Value { return stream.tickets().completion().last(); }},
    {NP_Priority, [](const Stream &stream) -> Value { return stream.priority(); }},
    {NP_Status,
     [](const Stream &stream) -> Value {
       const auto &completion = stream.tickets().completion();
       if (completion.failure() != nullptr) return "Error";
       return completion.idle() ? "Complete" : "Running";
     }},
});

}  // namespace
}  // namespace nexus_opencl

using namespace nexus_opencl;

NEXUS_PLUGIN_RELEASE(Stream, streams)
NEXUS_PLUGIN_STREAM(streams, tickets())
NEXUS_PLUGIN_HOST_CALLS(Queue, streams)

extern "C" {

nxs_status nxsGetStreamProperty(nxs_id id, nxs_property property, nxs_value *out_value) {
  return guarded([&] {
    const Ref<Stream> stream = streams.pin(id);
    stream->tickets().poll(stream->completion().last());
    stream_properties.get(*stream, property, out_value);
  });
}

nxs_status nxsCreateStream(nxs_id device, int32_t priority, nxs_id *out_stream) {
  return guarded(out_stream, [&] { return streams.create(device_of(device), priority); });
}

}  // extern "C"
