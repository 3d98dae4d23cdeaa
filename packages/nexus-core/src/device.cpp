// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <array>

#include "device_info.hpp"
#include "device_merge.hpp"
#include "layers/validate/leaks.hpp"
#include "log.hpp"
#include "property.hpp"
#include "queue.hpp"
#include "runtime.hpp"
#include "stream.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kSpareLanes = 4;
constexpr PropertyFunction kDeviceProperty = &nxs_functions::GetDeviceProperty;

// Whether a queue that has ended can be let go of. One that can't be asked any more, since its
// device is lost, has nothing left to do.
bool isFinished(Queue &queue) noexcept {
  try {
    return queue.isDone(queue.newest());
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, queue.device().plugin().name, failure.what());
    return true;
  }
}

// Waits for all work given to a queue so far. What it lost with its stream is no failure of
// the device's, and the work before that goes on.
void waitForAll(Queue &queue, const Deadline &deadline) {
  const Position newest = queue.newest();
  try {
    queue.wait(newest, deadline.left());
  } catch (const Failure &) {
    const Position last = queue.lastOf(newest);
    if (last == newest || !queue.ended()) {
      throw;
    }
    queue.wait(last, deadline.left());
  }
}

// A size that the device states: fallback where it states none.
uint64_t statedSize(const Plugin &plugin, nxs_id id, nxs_property number, uint64_t fallback) {
  const auto stated = readNativeInt(plugin, kDeviceProperty, id, number, "device");
  return stated && *stated > 0 ? static_cast<uint64_t>(*stated) : fallback;
}

}  // namespace

Device::Device(Runtime &runtime, uint64_t index, nxs_id id)
    : Object(kType),
      runtime_(runtime),
      plugin_(runtime.plugin()),
      id_(id),
      selector_(plugin_.name + ":" + std::to_string(index)),
      offset_alignment_(statedSize(plugin_, id, NP_BufferOffsetAlignment, 1)),
      max_group_size_(
          statedSize(plugin_, id, NP_MaxThreadsPerBlock,
                     statedSize(plugin_, id, NP_MaxThreadsPerThreadgroup, UINT64_MAX))) {}

Stream &Device::makeDefaultStream() {
  const layers::validation::OwnObjects own;  // it stays as long as the device
  // Made outside the lock, since it adds its queue; a second one made meanwhile ends unused.
  Ref<Stream> made = make<Stream>(*this, 0, Stream::Role::Default);
  Stream *first = nullptr;
  if (default_stream_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) {
    return *made.detach();
  }
  return *first;
}

void Device::addQueue(Queue &queue) {
  forgetEndedQueues();
  const Lock lock(mutex_);
  queue.place_in_device = queues_.size();
  queues_.emplace_back(queue);
}

void Device::queueEnded(Queue &queue) {
  {
    const Lock lock(mutex_);
    const std::size_t place = queue.place_in_device;
    if (place < queues_.size() && queues_[place].get() == &queue) {
      std::swap(queues_[place], queues_.back());
      queues_[place]->place_in_device = place;
      ended_queues_.push_back(std::move(queues_.back()));
      queues_.pop_back();
    }
  }
  forgetEndedQueues();
}

Ref<Queue> Device::takeLane() {
  {
    const Lock lock(mutex_);
    if (!lanes_.empty()) {
      Ref<Queue> lane = std::move(lanes_.back());
      lanes_.pop_back();
      return lane;
    }
  }
  Ref<Queue> lane = make<Queue>(*this, 0);
  addQueue(*lane);
  return lane;
}

void Device::giveLane(Ref<Queue> lane) {
  {
    const Lock lock(mutex_);
    if (lanes_.size() < kSpareLanes) {
      lanes_.push_back(std::move(lane));
      return;
    }
  }
  lane->end();
}

void Device::addQueuesTo(std::vector<Ref<Queue>> &out) {
  const Lock lock(mutex_);
  out.insert(out.end(), queues_.begin(), queues_.end());
  out.insert(out.end(), ended_queues_.begin(), ended_queues_.end());
}

void Device::forgetEndedQueues() {
  std::vector<Ref<Queue>> finished;  // let go outside the lock
  const Lock lock(mutex_);
  const auto first = std::partition(ended_queues_.begin(), ended_queues_.end(),
                                    [](const auto &queue) { return !isFinished(*queue); });
  finished.assign(std::make_move_iterator(first), std::make_move_iterator(ended_queues_.end()));
  ended_queues_.erase(first, ended_queues_.end());
}

void Device::synchronize(uint64_t timeout) {
  if (Stream *stream = default_stream_.load(std::memory_order_acquire)) {
    stream->queue();  // a failure of the default stream that was told is not told again
  }
  std::vector<Ref<Queue>> queues;
  addQueuesTo(queues);
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
  forgetEndedQueues();
  if (first) {
    throw *first;
  }
}

bool Device::handlesAreAddresses() const {
  // DLPack's numbers of OpenCL, Vulkan, Metal and WebGPU.
  constexpr std::array objects{4, 7, 8, 15};
  const auto place = readNative(plugin_, kDeviceProperty, id_, NP_DLPackDevice, "device");
  const json::Value::Array *numbers = place ? place->array() : nullptr;
  const int64_t *type =
      numbers != nullptr && !numbers->empty() ? numbers->front().integer() : nullptr;
  return type == nullptr || std::find(objects.begin(), objects.end(), *type) == objects.end();
}

std::optional<json::Value> Device::property(std::string_view, nxs_property number) {
  switch (number) {
    case NP_ID:
      return json::Value(id_);
    case NP_Keys:
      return keyNumbers(*this);
    case NP_MemoryUsed:
      return json::Value(static_cast<int64_t>(memory_count_.used()));
    case NP_MemoryPeak:
      return json::Value(static_cast<int64_t>(memory_count_.peak()));
    case NP_MemoryReserved:
      if (auto reserved = readNative(plugin_, kDeviceProperty, id_, number, "device")) {
        return reserved;
      }
      return json::Value(static_cast<int64_t>(memory_count_.used()));  // it keeps none
    case NP_MemorySubsystem: {
      auto memories = readNative(plugin_, kDeviceProperty, id_, number, "device");
      if (memories) orderMemories(*memories);
      return memories;
    }
    case NP_ReleaseThreshold:
      if (const uint64_t bytes = release_threshold_.load(); bytes != UINT64_MAX) {
        return json::Value(static_cast<int64_t>(bytes));
      }
      return std::nullopt;
    default:
      return readNative(plugin_, kDeviceProperty, id_, number, "device");
  }
}

std::vector<std::string> Device::propertyKeys() {
  std::vector<std::string> own{"ID", "Keys", "MemoryUsed", "MemoryPeak", "MemoryReserved"};
  if (release_threshold_.load() != UINT64_MAX) {
    own.emplace_back("ReleaseThreshold");
  }
  return unionOf(std::move(own), readNativeKeys(plugin_, kDeviceProperty, id_, "device"));
}

void Device::setReleaseThreshold(uint64_t bytes) {
  if (bytes > INT64_MAX && bytes != UINT64_MAX) {
    throw Failure(NXS_InvalidValue, "bytes is " + std::to_string(bytes) + "; give at most " +
                                        std::to_string(INT64_MAX) +
                                        ", or UINT64_MAX (in Python None) to keep all.");
  }
  plugin_.callIfSupported(&nxs_functions::SetReleaseThreshold, "set how much memory is kept", id_,
                          bytes);
  release_threshold_.store(bytes);
}

void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what) {
  if (&given == &wanted) {
    return;
  }
  throw Failure(NXS_InvalidDevice, std::string(what) + " is of the device '" + given.selector() +
                                       "', and the " + for_what + " of '" + wanted.selector() +
                                       "'; give one made on '" + wanted.selector() + "'.");
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_device_get_runtime(nexus_device *device, nexus_runtime **out_runtime) {
  return guarded([&] {
    requirePointer(out_runtime, "out_runtime");
    giveOut(Ref(given<Device>(device, "device").runtime()), out_runtime);
  });
}

nxs_status nexus_device_get_selector(nexus_device *device, nxs_string *out_selector) {
  return guarded([&] {
    requirePointer(out_selector, "out_selector");
    const std::string &selector = given<Device>(device, "device").selector();
    *out_selector = {selector.data(), selector.size()};
  });
}

nxs_status nexus_device_get_info(nexus_device *device, nexus_properties **out_properties) {
  return guarded([&] {
    requirePointer(out_properties, "out_properties");
    giveOut(deviceInfo(given<Device>(device, "device")), out_properties);
  });
}

nxs_status nexus_device_get_default_stream(nexus_device *device, nexus_stream **out_stream) {
  return guarded([&] {
    requirePointer(out_stream, "out_stream");
    giveOut(Ref(given<Device>(device, "device").defaultStream()), out_stream);
  });
}

nxs_status nexus_device_get_objects(nexus_device *device, nxs_object_type type, uint64_t capacity,
                                    nexus_object **out_objects, uint64_t *out_count) {
  return guarded([&] {
    requirePointer(out_count, "out_count");
    if (capacity > 0) {
      requirePointer(out_objects, "out_objects");
    }
    Device &of = given<Device>(device, "device");
    if (type != NXS_ObjectType_Buffer && type != NXS_ObjectType_Library &&
        type != NXS_ObjectType_Stream && type != NXS_ObjectType_Event &&
        type != NXS_ObjectType_Schedule) {
      throw Failure(NXS_InvalidValue, "type is " + std::to_string(type) +
                                          "; a device lists its buffers, libraries, streams, "
                                          "events and schedules.");
    }
    std::vector<Ref<Object>> live = of.objects().live(type);
    *out_count = live.size();
    for (std::size_t i = 0; i < live.size() && i < capacity; ++i) {
      out_objects[i] = live[i].detach();
    }
  });
}

nxs_status nexus_device_trim_memory(nexus_device *device, uint64_t keep) {
  return guarded([&] {
    const Device &of = given<Device>(device, "device");
    of.plugin().callIfSupported(&nxs_functions::TrimMemory, "give memory back to the driver",
                                of.id(), keep);
  });
}

nxs_status nexus_device_set_release_threshold(nexus_device *device, uint64_t bytes) {
  return guarded([&] { given<Device>(device, "device").setReleaseThreshold(bytes); });
}

nxs_status nexus_device_reset_memory_peak(nexus_device *device) {
  return guarded([&] { given<Device>(device, "device").memoryCount().resetPeak(); });
}

nxs_status nexus_device_synchronize(nexus_device *device, uint64_t timeout) {
  return guarded([&] { given<Device>(device, "device").synchronize(timeout); });
}
