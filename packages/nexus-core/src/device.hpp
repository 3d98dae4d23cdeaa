// SPDX-License-Identifier: Apache-2.0
//
// A device: what is made on it, its streams, and its default stream.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "lock.hpp"
#include "memory_count.hpp"
#include "object.hpp"
#include "object_list.hpp"
#include "plugin.hpp"

namespace nexus::core {

class Queue;
class Runtime;
class Stream;

/// Made once and never freed, like its runtime, so that what is made on it keeps a
/// plain reference.
class Device final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Device;

  Device(Runtime &runtime, uint64_t index, nxs_id id);

  Runtime &runtime() const noexcept { return runtime_; }
  const Plugin &plugin() const noexcept { return plugin_; }
  nxs_id id() const noexcept { return id_; }
  const std::string &selector() const noexcept { return selector_; }

  /// The alignment in bytes that a slice needs to be an argument; at least 1.
  uint64_t offsetAlignment() const noexcept { return offset_alignment_; }
  /// The largest number of work items of a group; UINT64_MAX where the device does not say.
  uint64_t maxGroupSize() const noexcept { return max_group_size_; }

  /// Made at first use; lives as long as the device.
  Stream &defaultStream() {
    Stream *stream = default_stream_.load(std::memory_order_acquire);
    return stream != nullptr ? *stream : makeDefaultStream();
  }

  /// Notes a queue, so that synchronize() waits for it, also after its stream has ended.
  void addQueue(Queue &queue);
  /// Appends those that it knows.
  void addQueuesTo(std::vector<Ref<Queue>> &out);
  /// A queue has ended: lets go of it once it has nothing left to do.
  void queueEnded(Queue &queue);
  /// A queue of libnexus' own for work beside the streams, which nobody else has until it is
  /// given back. One that was given back takes no new work before the work that it has.
  Ref<Queue> takeLane();
  void giveLane(Ref<Queue> lane);
  /// Waits for all work submitted so far, and throws the first failure.
  void synchronize(uint64_t timeout);

  /// Whether the native handles of buffers are addresses, and no objects of the driver: DLPack
  /// fixes that by the type of device.
  bool handlesAreAddresses() const;

  /// Of the buffers that this process made on the device.
  MemoryCount &memoryCount() noexcept { return memory_count_; }

  /// Throws NXS_InvalidValue for a number of bytes that no property can tell.
  void setReleaseThreshold(uint64_t bytes);

  /// The objects that were made on the device for callers of the C functions.
  ObjectList &objects() noexcept { return objects_; }

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  Stream &makeDefaultStream();
  void forgetEndedQueues();

  Runtime &runtime_;
  const Plugin &plugin_;
  const nxs_id id_;
  const std::string selector_;
  uint64_t offset_alignment_;
  uint64_t max_group_size_;
  std::atomic<Stream *> default_stream_{nullptr};
  std::mutex mutex_;
  std::vector<Ref<Queue>> queues_;        // under mutex_
  std::vector<Ref<Queue>> ended_queues_;  // under mutex_: work may still run in them
  std::vector<Ref<Queue>> lanes_;         // under mutex_: those that nobody has
  MemoryCount memory_count_;
  std::atomic<uint64_t> release_threshold_{UINT64_MAX};
  ObjectList objects_;
};

/// Gives a new object of a device to the caller of a C function, and lists it with the device.
template <typename T>
void giveOutNew(Device &device, Ref<T> object, Object **out) {
  device.objects().add(*object);
  giveOut(std::move(object), out);
}

/// Throws NXS_InvalidDevice where a thing of one device is given to that of another:
/// "buffer is of the device 'cuda:0', and the schedule of 'cpu:0'; ..." .
void requireSameDevice(const Device &given, const char *what, const Device &wanted,
                       const char *for_what);

}  // namespace nexus::core
