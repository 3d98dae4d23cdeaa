// SPDX-License-Identifier: Apache-2.0
//
// The queues of a device: those of its streams, its default stream, and spare ones.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/lock.hpp"
#include "base/ref.hpp"
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

  /// Notes a queue, so that synchronize() waits for it, also after its stream has ended.
  void add(Queue &queue);
  /// A queue has ended: lets go of it once it has nothing left to do.
  void ended(Queue &queue);
  /// Appends those that it knows.
  void appendTo(std::vector<Ref<Queue>> &out);
  /// A queue of libnexus' own for work beside the streams, which nobody else has until it is
  /// given back. One that was given back takes no new work before the work that it has.
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
  std::vector<Ref<Queue>> spare_;   // under mutex_: those that nobody has
};

/// The queues of all devices of a runtime that were asked for.
std::vector<Ref<Queue>> queuesOf(Runtime &runtime);

}  // namespace nexus::core
