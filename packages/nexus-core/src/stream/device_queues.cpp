// SPDX-License-Identifier: Apache-2.0
#include "stream/device_queues.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/log.hpp"
#include "device/runtime.hpp"
#include "layers/validate/objects.hpp"
#include "stream/stream.hpp"

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

// Waits for all work in a queue so far. Work that was cancelled because its stream was closed is no
// failure of the device; only the work before it is waited for.
void waitForAll(Queue &queue, const Deadline &deadline) {
  const QueuePosition newest = queue.newest();
  try {
    queue.wait(newest, deadline.left());
  } catch (const Failure &) {
    const QueuePosition last = queue.lastOf(newest);
    if (last == newest || !queue.ended()) {
      throw;
    }
    queue.wait(last, deadline.left());
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

void DeviceQueues::ended(Queue &queue) {
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
  spare->end();
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

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_default_stream(nexus_device *device, nexus_stream **out_stream) {
  return guarded([&] {
    requirePointer(out_stream, "out_stream");
    giveOut(Ref(given<Device>(device, "device").queues().defaultStream()), out_stream);
  });
}

nxs_status nexus_device_synchronize(nexus_device *device, uint64_t timeout) {
  return guarded([&] { given<Device>(device, "device").queues().synchronize(timeout); });
}
