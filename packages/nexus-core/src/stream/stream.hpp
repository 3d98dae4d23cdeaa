// SPDX-License-Identifier: Apache-2.0
//
// A stream: work in it is ordered, work in different streams is not. Also the queues of a device:
// of its streams, of its default stream, and spare ones.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/lock.hpp"
#include "base/ref.hpp"
#include "device/device.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

class Runtime;
class Stream;

/// Lives as long as its device. Any thread may use it.
class DeviceQueues {
 public:
  explicit DeviceQueues(Device &device) : device_(device) {}

  /// Made at first use; lives as long as the device.
  Stream &defaultStream() {
    Stream *stream = default_stream_.load(std::memory_order_acquire);
    return stream != nullptr ? *stream : makeDefaultStream();
  }

  /// Returns the queue for work without a stream: the default stream's or, in a function that a
  /// schedule calls, one of that call.
  Queue &unnamed();

  /// Registers a queue, so that synchronize() waits for it, also after its stream was closed.
  void add(Queue &queue);
  /// Closes a queue, which is dropped once its work is done.
  void end(Queue &queue);
  void appendTo(std::vector<Ref<Queue>> &out);
  /// Returns a queue apart from the streams, for the caller alone, until giveSpare(). A reused
  /// queue runs its earlier work before the new work.
  Ref<Queue> takeSpare();
  void giveSpare(Ref<Queue> spare);
  /// Waits for all work submitted so far, and throws the first failure.
  void synchronize(uint64_t timeout);

 private:
  Stream &makeDefaultStream();
  void forgetEnded();

  Device &device_;
  std::atomic<Stream *> default_stream_{nullptr};
  std::mutex mutex_;
  std::vector<Ref<Queue>> queues_;  // under mutex_
  std::vector<Ref<Queue>> ended_;   // under mutex_: work may still run in them
  std::vector<Ref<Queue>> spare_;   // under mutex_: not in use
};

class Event;

/// A program's handle of a queue. Closing it ends the queue, which stays alive while work needs it.
class Stream final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Stream;
  enum class Role { Own, Default };

  Stream(Device &device, int32_t priority, Role role = Role::Own);
  /// Wraps a stream of the driver by its native handle. It must stay valid until owner is released.
  Stream(Device &device, uint64_t handle, ForeignOwner owner);
  ~Stream() override;

  Device &device() const noexcept { return device_; }

  /// Returns the stream's current queue. A stream that has failed refuses work until it is closed.
  /// A default stream can't be closed, so it gets a new queue once its failure was reported to a
  /// caller.
  Queue &queue() {
    Queue &queue = *queue_.load(std::memory_order_acquire);
    return role_ == Role::Default && queue.failureReported() ? renewed() : queue;
  }

  /// Returns the newest work in the stream. If others submit to it too, includes their work so far.
  QueuePosition newest(Queue &queue);

  /// Makes later work of this stream wait for all work in other so far, and fail with it.
  void waitFor(Stream &other);

  nxs_id nativeId() const noexcept override { return queue_.load(std::memory_order_acquire)->id(); }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return role_ == Role::Own; }
  void onClose() override;
  Queue &renewed();

  Device &device_;
  const int32_t priority_;
  const Role role_;
  std::atomic<Queue *> queue_;
  std::mutex mutex_;
  // Under mutex_. The last one is current. Earlier ones stay, since another thread may just have
  // read them.
  std::vector<Ref<Queue>> queues_;
  Ref<Event> progress_;  // Signalled for streams that wait for this one; under mutex_, as below.
  const Queue *progress_queue_ = nullptr;  // the queue in which it is signalled
  uint64_t progress_value_ = 0;
};

/// Returns the queue of stream, or DeviceQueues::unnamed() for NULL. Throws
/// NXS_InvalidStream, or NXS_InvalidDevice for a stream of another device.
Queue &queueOf(nexus_stream *stream, Device &device, const char *for_what);

}  // namespace nexus::core
