// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include "object/property.hpp"
#include "stream/callback.hpp"
#include "stream/device_queues.hpp"
#include "stream/event.hpp"

namespace nexus::core {
namespace {

constexpr PropertyFunction kStreamProperty = &nxs_functions::GetStreamProperty;

// Returns whether all work in the stream so far is done, also that of others.
bool isIdle(Stream &stream, Queue &queue) {
  // nanoseconds that the signal of newest() itself may take in the stream
  constexpr uint64_t signal_time = 200'000;
  const QueuePosition position = stream.newest(queue);
  return queue.isForeign() ? queue.waitDone(position, signal_time) : queue.isDone(position);
}

}  // namespace

Stream::Stream(Device &device, int32_t priority, Role role)
    : ListedObject(kType), device_(device), priority_(priority), role_(role) {
  queues_.push_back(make<Queue>(device, priority));
  queue_.store(queues_.back().get(), std::memory_order_release);
  device.queues().add(*queues_.back());
}

Stream::Stream(Device &device, uint64_t handle, ForeignOwner owner)
    : ListedObject(kType), device_(device), priority_(0), role_(Role::Own) {
  queues_.push_back(make<Queue>(device, handle, owner));
  queue_.store(queues_.back().get(), std::memory_order_release);
  device.queues().add(*queues_.back());
}

Stream::~Stream() {
  if (ofThisProcess() && !closed()) {
    queue_.load(std::memory_order_acquire)->end();
  }
}

void Stream::onClose() {
  queue_.load(std::memory_order_acquire)->end();
}

QueuePosition Stream::newest(Queue &queue) {
  if (queue.isForeign() && queue.state(queue.newest()) != NXS_CompletionState_Failed) {
    DeferredWakes wakes;
    enqueueSignal(queue, *make<Event>(device_, NXS_EventType_Shared), 1, wakes);
  }
  return queue.newest();
}

Queue &Stream::renewed() {
  Queue *failed = nullptr;
  Queue *fresh = nullptr;
  {
    const Lock lock(mutex_);
    failed = queues_.back().get();
    if (!failed->failureReported()) {
      return *failed;  // another thread was faster
    }
    queues_.push_back(make<Queue>(device_, priority_));
    fresh = queues_.back().get();
    device_.queues().add(*fresh);
    queue_.store(fresh, std::memory_order_release);
  }
  failed->end();  // outside the lock: destroying held work may call the user's code
  return *fresh;
}

void Stream::waitFor(Stream &other) {
  Queue &queue = this->queue();
  Queue &ahead = other.queue();
  if (&queue == &ahead) {
    return;
  }
  const QueuePosition newest = other.newest(ahead);
  if (ahead.isDone(newest)) {
    ahead.throwFailure(newest);
    return;
  }
  DeferredWakes wakes;
  Ref<Event> progress;
  uint64_t count = 0;
  {
    // Enqueue under the lock, so that the values are signalled in order.
    const Lock lock(other.mutex_);
    if (other.progress_queue_ != &ahead) {
      other.progress_ = make<Event>(other.device_, NXS_EventType_Shared);
      other.progress_queue_ = &ahead;
      other.progress_value_ = 0;
    }
    progress = other.progress_;
    count = ++other.progress_value_;
    enqueueSignal(ahead, *progress, count, wakes);
  }
  enqueueWait(queue, *progress, count, wakes);
}

std::optional<json::Value> Stream::property(std::string_view, nxs_property number) {
  Queue &present = *queue_.load(std::memory_order_acquire);
  switch (number) {
    case NP_ID:
      return json::Value(nativeId());
    case NP_Keys:
      return keyNumbers(*this);
    case NP_Priority:
      return json::Value(int64_t{priority_});
    case NP_Status:
      if (present.isForeign()) isIdle(*this, present);
      switch (present.state()) {
        case NXS_CompletionState_Completed:
          return json::Value("Complete");
        case NXS_CompletionState_Failed:
          return json::Value("Error");
        default:
          return json::Value("Running");
      }
    default:
      return readNative(device_.plugin(), kStreamProperty, nativeId(), number, "stream");
  }
}

std::vector<std::string> Stream::propertyKeys() {
  return unionOf({"ID", "Keys", "Priority", "Status"},
                 readNativeKeys(device_.plugin(), kStreamProperty, nativeId(), "stream"));
}

Queue &queueOf(nexus_stream *stream, Device &device, const char *for_what) {
  if (stream == nullptr) {
    return device.queues().defaultStream().queue();
  }
  Stream &chosen = given<Stream>(stream, "stream");
  requireSameDevice(chosen.device(), "stream", device, for_what);
  return chosen.queue();
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_create_stream(nexus_device *device, int32_t priority,
                                      nexus_stream **out_stream) {
  return guarded([&] {
    requirePointer(out_stream, "out_stream");
    Device &on = given<Device>(device, "device");
    giveOutNew(on, make<Stream>(on, priority), out_stream);
  });
}

nxs_status nexus_device_create_stream_from_handle(nexus_device *device, uint64_t handle,
                                                  void (*release)(void *), void *context,
                                                  nexus_stream **out_stream) {
  return guarded([&] {
    requirePointer(out_stream, "out_stream");
    Device &on = given<Device>(device, "device");
    giveOutNew(on, make<Stream>(on, handle, ForeignOwner{release, context}), out_stream);
  });
}

nxs_status nexus_stream_get_device(nexus_stream *stream, nexus_device **out_device) {
  return guarded([&] {
    requirePointer(out_device, "out_device");
    giveOut(Ref(given<Stream>(stream, "stream").device()), out_device);
  });
}

nxs_status nexus_stream_synchronize(nexus_stream *stream, uint64_t timeout) {
  return guarded([&] {
    Stream &waited = given<Stream>(stream, "stream");
    Queue &queue = waited.queue();
    QueuePosition newest = queue.newest();
    try {
      newest = waited.newest(queue);
    } catch (const Failure &) {
      // the stream takes no more work; wait for what it has, which uses memory
      queue.wait(newest, timeout);
      throw;
    }
    queue.wait(newest, timeout);
  });
}

nxs_status nexus_stream_is_idle(nexus_stream *stream, int32_t *out_idle) {
  return guarded([&] {
    requirePointer(out_idle, "out_idle");
    Stream &asked = given<Stream>(stream, "stream");
    *out_idle = isIdle(asked, asked.queue()) ? 1 : 0;
  });
}

nxs_status nexus_stream_wait_stream(nexus_stream *stream, nexus_stream *other) {
  return guarded([&] { given<Stream>(stream, "stream").waitFor(given<Stream>(other, "other")); });
}

nxs_status nexus_stream_record(nexus_stream *stream, nexus_event **out_event) {
  return guarded([&] {
    requirePointer(out_event, "out_event");
    Stream &recorded = given<Stream>(stream, "stream");
    Device &device = recorded.device();
    const bool timed = device.plugin().has(NXS_Capability_Timing);
    Ref<Event> event =
        make<Event>(device, NXS_EventType_Signal, timed ? Event::Timing::On : Event::Timing::Off);
    {
      DeferredWakes wakes;
      enqueueSignal(recorded.queue(), *event, 1, wakes);
    }
    giveOutNew(device, std::move(event), out_event);
  });
}

nxs_status nexus_stream_add_callback(nexus_stream *stream, nexus_callback_fn function,
                                     void *context) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    if (function == nullptr) {
      throw Failure(NXS_InvalidValue, "function is NULL; give the function to call.");
    }
    DeferredWakes wakes;
    addCallback(queue, function, context, wakes);
  });
}
