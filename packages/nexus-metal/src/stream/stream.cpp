// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include <cstring>
#include <memory>
#include <nexus-plugin/base/functions.hpp>

namespace nexus_metal NXS_HIDDEN {

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

// ---- Completed handlers -----------------------------------------------

// A block as compilers lay it out, in memory of its own. It says that it is global, so Metal
// neither copies nor frees it: it deletes itself when it is called, which happens once. A handler,
// and not a thread that waits for each command buffer, since there may be thousands in flight.
struct CompletedHandler {
  static constexpr int kGlobal = 1 << 28;
  struct Descriptor {
    unsigned long reserved, size;
  };

  explicit CompletedHandler(Shared<Submission> of) noexcept;
  static void call(CompletedHandler *block, id buffer) noexcept;

  const void *isa = driver.global_block;
  int flags = kGlobal, reserved = 0;
  void (*invoke)(CompletedHandler *, id) noexcept = call;
  const Descriptor *descriptor;
  Shared<Submission> submission;
};

constexpr CompletedHandler::Descriptor kDescriptor{0, sizeof(CompletedHandler)};

CompletedHandler::CompletedHandler(Shared<Submission> of) noexcept
    : descriptor(&kDescriptor), submission(std::move(of)) {}

// Metal signals no event for a command buffer that failed: others would wait forever.
void signal_by_hand(const Submission &failed) noexcept {
  if (msg.signaled_value(failed.event.get()) < failed.value) {
    msg.set_signaled_value(failed.event.get(), failed.value);
  }
}

void CompletedHandler::call(CompletedHandler *block, id buffer) noexcept {
  const std::unique_ptr<CompletedHandler> self(block);
  const Pool pool;
  Submission &done = *self->submission;
  int64_t status = Submission::kDone;
  if (msg.status(buffer) == MTLCommandBufferStatusCompleted) {
    for (const HostCopy &copy : done.host_copies) {
      std::memcpy(copy.to, msg.contents(copy.staging.get()), copy.size);
    }
    done.end_time = msg.end_time(buffer);
  } else {
    const id error = msg.command_error(buffer);
    status = Submission::kErrors + (error == nullptr ? 0 : msg.error_code(error));
    signal_by_hand(done);
  }
  done.host_copies.clear();
  done.status.store(status, std::memory_order_release);
  done.wake->wake();
  if (done.reached != nullptr) done.reached(done.call);
}

// ---- Errors -----------------------------------------------------------

struct KnownError {
  NSInteger number;
  const char *name;
  nxs_status status;
  const char *text;
};

constexpr KnownError kKnownErrors[] = {
    {MTLCommandBufferErrorTimeout, "Timeout", NXS_Timeout,
     "it took longer than the system lets a GPU work; make the launches smaller"},
    {MTLCommandBufferErrorPageFault, "PageFault", NXS_InternalError,
     "a kernel used memory outside of its buffers"},
    {MTLCommandBufferErrorAccessRevoked, "AccessRevoked", NXS_DeviceNotAvailable,
     "the system has revoked this process's access to the GPU, after work that failed"},
    {MTLCommandBufferErrorNotPermitted, "NotPermitted", NXS_DeviceNotAvailable,
     "the process may not use the GPU, as in the background"},
    {MTLCommandBufferErrorOutOfMemory, "OutOfMemory", NXS_OutOfResources,
     "the GPU has too little memory for the buffers of the work; use smaller ones"},
    {MTLCommandBufferErrorInvalidResource, "InvalidResource", NXS_InvalidBuffer,
     "the work uses memory that does not exist any more"},
    {MTLCommandBufferErrorDeviceRemoved, "DeviceRemoved", NXS_DeviceLost, "the GPU was removed"},
    {MTLCommandBufferErrorStackOverflow, "StackOverflow", NXS_OutOfResources,
     "a kernel needs more stack than there is"},
};

// ---- Events -----------------------------------------------------------

int32_t checked_priority(const Device &device, int32_t priority) {
  if (priority == 0) return 0;
  throw Error(NXS_InvalidValue, "priority is ", priority,
              "; Metal has no priorities, so the device '", device.name(), "' takes 0");
}

Queue make_queue(const Device &device) {
  const Pool pool;
  return {&device,
          made(msg.new_queue(device.get(), kMostCommandBuffers), NXS_OutOfResources,
               "making a stream's queue"),
          made(msg.new_shared_event(device.get()), NXS_OutOfResources, "making a stream's event"),
          Shared<Queue::State>::make()};
}

constexpr auto stream_properties = property_table<Stream>({
    {NP_NativeHandle, [](const Stream &stream) -> Value { return handle_of(stream.queue()); }},
});

using Event = QueuedEvent<Queue>;

constinit HandleTable<Event, NXS_ObjectType_Event> events;

Value time_stamp(const Event &event) {
  const Queue::Signal newest = event.try_newest();
  const bool told =
      event.timed() && newest.stream && newest.event && newest.stream->done(newest.ticket);
  return told ? Value(static_cast<uint64_t>(newest.event->end_time * 1e9)) : Value();
}

constexpr auto event_properties = property_table<Event>({
    {NP_Type, [](const Event &) -> Value { return "binary"; }},
    {NP_TimeStamp, time_stamp},
});

nxs_id made_event(const Device &device, nxs_execution_settings settings) {
  check_settings(settings, NXS_ExecutionSettings_Timing);
  return events.create(device, settings != 0);
}

}  // namespace

Queue::Event Queue::record() const {
  const Pool pool;
  Commands commands(*device, queue.get());
  begin(commands);
  commands.buffer();
  return commit(commands);
}

void Queue::begin(Commands &commands) const {
  if (!state->barrier) return;
  if (is_running(query(state->barrier))) {
    commands.order_after(event.get(), state->barrier->value);
  } else {
    state->barrier = {};
  }
}

Queue::Event Queue::commit(Commands &commands) const {
  const id buffer = commands.finish();
  if (buffer == nullptr) return {};
  Event made = Event::make();
  made->event = event;
  made->value = ++state->value;
  made->wake = state->wake;
  made->host_copies = commands.take_host_copies();
  made->reached = commands.reached();
  made->call = commands.call();
  auto handler = std::make_unique<CompletedHandler>(made);
  if (commands.waits()) state->barrier = made;
  msg.encode_signal(buffer, event.get(), made->value);
  msg.add_completed_handler(buffer, handler.release());
  msg.commit(buffer);
  return made;
}

FailurePtr Queue::failure_of(Status status) noexcept {
  const NSInteger number = status - Submission::kErrors;
  for (const KnownError &known : kKnownErrors) {
    if (known.number != number) continue;
    return make_failure(
        Error::with_native_code(number, known.status, "work of the stream failed: ", known.text,
                                " (MTLCommandBufferError", known.name, ", ", number, ")"));
  }
  return make_failure(Error::with_native_code(
      number, NXS_InternalError, "work of the stream failed with Metal's error ", number));
}

bool Queue::wake_when_done(const Event &event, const WakePtr &wake) noexcept {
  if (!is_running(query(event))) wake->wake();  // else the completed handler wakes
  return true;
}

double Queue::elapsed(Device &, const Signal &start, const Signal &end) {
  return (end.event->end_time - start.event->end_time) * 1e9;
}

Stream::Stream(const Device &device, int32_t priority)
    : QueuedStream(device, checked_priority(device, priority), make_queue(device)) {
  tickets().queue().state->wake = tickets().wake();
}

}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_RELEASE(Stream, streams)
NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)
NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),
                    streams.create(device_of(device), priority))
NEXUS_PLUGIN_OBJECT(Event, events, event_properties)
NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
NEXUS_PLUGIN_RESULT(CreateEvent, (nxs_id device, nxs_execution_settings settings, nxs_id *out),
                    made_event(device_of(device), settings))
