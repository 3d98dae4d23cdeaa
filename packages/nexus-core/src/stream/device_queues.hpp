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

  /// Registers a queue, so that synchronize() waits for it, also after its stream was closed.
  void add(Queue &queue);
  /// Moves a queue whose stream was closed to those that are dropped once their work is done.
  void ended(Queue &queue);
  void appendTo(std::vector<Ref<Queue>> &out);
  /// Returns a queue that only the caller uses, beside the streams, until giveSpare(). A queue that
  /// was given back runs its earlier work before the new work.
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

/// Returns the queues of all devices of a runtime that were created so far.
std::vector<Ref<Queue>> queuesOf(Runtime &runtime);

}  // namespace nexus::core
