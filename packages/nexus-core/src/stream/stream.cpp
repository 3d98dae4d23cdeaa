// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/log.hpp"
#include "device/device.hpp"
#include "layers/validate/objects.hpp"
#include "object/property.hpp"
#include "stream/event.hpp"
#include "stream/running_call.hpp"

namespace nexus::core {

namespace {

constexpr std::size_t kMostSpare = 4;

// Returns whether a closed stream's queue can be dropped. Work on a lost device counts as done.
bool isFinished(Queue &queue) noexcept {
  try {
    return queue.isDone(queue.newest());
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, queue.device().plugin().name, failure.what());
    return true;
  }
}

// Waits for all work in a queue so far. Work that was cancelled because its stream was closed, and
// a loop that was ended, are not failures of the device; only the work before them is waited for.
void waitForAll(Queue &queue, const Deadline &deadline) {
  QueuePosition position = queue.newest();
  for (;;) {
    try {
      queue.wait(position, deadline.left());
      return;
    } catch (const Failure &failure) {
      if (!queue.ended() && !queue.loopsStopped()) throw;
      const QueuePosition last = queue.lastOf(position);
      if (last == position) {  // the plug-in may have ended a loop
        if (failure.status() != NXS_Cancelled || !queue.isDone(position)) throw;
        return;
      }
      position = last;
    }
  }
}

}  // namespace

DeviceQueues *makeQueuesOf(Device &device) {
  return new DeviceQueues(device);
}

Stream &DeviceQueues::makeDefaultStream() {
  const layers::validation::OwnObjects own;  // not a leak: lives as long as the device
  // Made outside the lock, since it registers its queue. If another thread was faster, this one is
  // destroyed unused.
  Ref<Stream> made = make<Stream>(device_, 0, Stream::Role::Default);
  Stream *first = nullptr;
  if (default_stream_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) {
    return *made.detach();
  }
  return *first;
}

void DeviceQueues::add(Queue &queue) {
  forgetEnded();
  const Lock lock(mutex_);
  queue.place_in_device = queues_.size();
  queues_.emplace_back(queue);
}

Queue &DeviceQueues::unnamed() {
  RunningCall *const call = RunningCall::present();
  return call != nullptr ? call->queueFor(device_) : defaultStream().queue();
}

void DeviceQueues::end(Queue &queue) {
  queue.end();
  {
    const Lock lock(mutex_);
    const std::size_t place = queue.place_in_device;
    if (place < queues_.size() && queues_[place].get() == &queue) {
      std::swap(queues_[place], queues_.back());
      queues_[place]->place_in_device = place;
      ended_.push_back(std::move(queues_.back()));
      queues_.pop_back();
    }
  }
  forgetEnded();
}

Ref<Queue> DeviceQueues::takeSpare() {
  {
    const Lock lock(mutex_);
    if (!spare_.empty()) {
      Ref<Queue> spare = std::move(spare_.back());
      spare_.pop_back();
      return spare;
    }
  }
  Ref<Queue> spare = make<Queue>(device_, 0);
  add(*spare);
  return spare;
}

void DeviceQueues::giveSpare(Ref<Queue> spare) {
  {
    const Lock lock(mutex_);
    if (spare_.size() < kMostSpare) {
      spare_.push_back(std::move(spare));
      return;
    }
  }
  end(*spare);
}

void DeviceQueues::appendTo(std::vector<Ref<Queue>> &out) {
  const Lock lock(mutex_);
  out.insert(out.end(), queues_.begin(), queues_.end());
  out.insert(out.end(), ended_.begin(), ended_.end());
}

void DeviceQueues::forgetEnded() {
  std::vector<Ref<Queue>> finished;  // destroyed outside the lock
  const Lock lock(mutex_);
  const auto first = std::partition(ended_.begin(), ended_.end(),
                                    [](const auto &queue) { return !isFinished(*queue); });
  finished.assign(std::make_move_iterator(first), std::make_move_iterator(ended_.end()));
  ended_.erase(first, ended_.end());
}

void DeviceQueues::synchronize(uint64_t timeout) {
  if (Stream *stream = default_stream_.load(std::memory_order_acquire)) {
    // renews a default stream whose failure was reported, so that it is not reported again
    stream->queue();
  }
  std::vector<Ref<Queue>> queues;
  appendTo(queues);
  const Deadline deadline(timeout);
  std::optional<Failure> first;
  for (const Ref<Queue> &queue : queues) {
    try {
      waitForAll(*queue, deadline);
    } catch (const WaitEnded &) {
      throw;
    } catch (const Failure &failure) {
      if (!first && !queue->ended()) {
        first = failure;
      }
    }
  }
  forgetEnded();
  if (first) {
    throw *first;
  }
}

std::vector<Ref<Queue>> queuesOf(Runtime &runtime) {
  std::vector<Ref<Queue>> queues;
  for (Device *device : runtime.madeDevices()) device->queues().appendTo(queues);
  return queues;
}

namespace {

NativeProperties propertiesOf(const Stream &stream) {
  return {stream.device().plugin(), &nxs_functions::GetStreamProperty, stream.nativeId(), "stream"};
}

// Returns whether all work in the stream so far is done, including other libraries' work.
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
    onClose();
  }
}

void Stream::onClose() {
  device_.queues().end(*queue_.load(std::memory_order_acquire));
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
  device_.queues().end(*failed);  // outside the lock: destroying held work may call the user's code
  return *fresh;
}

void Stream::waitFor(Stream &other) {
  Queue &queue = this->queue();
  Queue &ahead = other.queue();
  if (&queue == &ahead) return;
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
    case NP_Priority:
      return json::Value(int64_t{priority_});
    case NP_Status:
      if (present.isForeign()) isIdle(*this, present);
      return statusOf(present.state());
    default:
      return propertiesOf(*this).read(number);
  }
}

std::vector<std::string> Stream::propertyKeys() {
  return propertiesOf(*this).keys({"ID", "Keys", "Priority", "Status"});
}

Queue &queueOf(nexus_stream *stream, Device &device, const char *for_what) {
  if (stream == nullptr) return device.queues().unnamed();
  Stream &chosen = given<Stream>(stream, "stream");
  requireSameDevice(chosen.device(), "stream", device, for_what);
  return chosen.queue();
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_default_stream(nexus_device *device, nexus_stream **out_stream) {
  return giveResult(out_stream, "out_stream",
                    [&] { return Ref(given<Device>(device, "device").queues().defaultStream()); });
}

nxs_status nexus_device_synchronize(nexus_device *device, uint64_t timeout) {
  return guarded([&] { given<Device>(device, "device").queues().synchronize(timeout); });
}

nxs_status nexus_device_create_stream(nexus_device *device, int32_t priority,
                                      nexus_stream **out_stream) {
  return giveResult(out_stream, "out_stream", [&] {
    Device &on = given<Device>(device, "device");
    return listed(on, make<Stream>(on, priority));
  });
}

nxs_status nexus_device_create_stream_from_handle(nexus_device *device, uint64_t handle,
                                                  void (*release)(void *), void *context,
                                                  nexus_stream **out_stream) {
  return giveResult(out_stream, "out_stream", [&] {
    Device &on = given<Device>(device, "device");
    return listed(on, make<Stream>(on, handle, ForeignOwner{release, context}));
  });
}

nxs_status nexus_stream_get_device(nexus_stream *stream, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Stream>(stream, "stream").device()); });
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
  return giveResult(out_idle, "out_idle", [&] {
    Stream &asked = given<Stream>(stream, "stream");
    return isIdle(asked, asked.queue()) ? 1 : 0;
  });
}

nxs_status nexus_stream_wait_stream(nexus_stream *stream, nexus_stream *other) {
  return guarded([&] { given<Stream>(stream, "stream").waitFor(given<Stream>(other, "other")); });
}

nxs_status nexus_stream_record(nexus_stream *stream, nexus_event **out_event) {
  return giveResult(out_event, "out_event", [&] {
    Stream &recorded = given<Stream>(stream, "stream");
    Device &device = recorded.device();
    const bool timed = device.plugin().has(NXS_Capability_Timing);
    Ref<Event> event =
        make<Event>(device, NXS_EventType_Signal, timed ? Event::Timing::On : Event::Timing::Off);
    {
      DeferredWakes wakes;
      enqueueSignal(recorded.queue(), *event, 1, wakes);
    }
    return listed(device, std::move(event));
  });
}

nxs_status nexus_stream_signal(nexus_stream *stream, nexus_event *event, uint64_t value) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Event &signalled = given<Event>(event, "event");
    signalled.checkSignal(value);
    DeferredWakes wakes;
    enqueueSignal(queue, signalled, value, wakes);
  });
}

nxs_status nexus_stream_wait(nexus_stream *stream, nexus_event *event, uint64_t value) {
  return guarded([&] {
    Queue &queue = given<Stream>(stream, "stream").queue();
    Event &awaited = given<Event>(event, "event");
    awaited.checkWait(value);
    DeferredWakes wakes;
    enqueueWait(queue, awaited, value, wakes);
  });
}
