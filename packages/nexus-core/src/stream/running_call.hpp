// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nexus::core {

class Device;
class Queue;

/// A call of a program's function by a queue, on this thread. The queue's earlier work is done, and
/// waiting for its held work would never end.
class RunningCall {
 public:
  RunningCall(const RunningCall &) = delete;
  RunningCall &operator=(const RunningCall &) = delete;

  /// Returns the call that this thread runs; NULL if it runs none.
  static RunningCall *present() noexcept { return present_; }
  static bool isOf(const Queue &queue) noexcept {
    return present_ != nullptr && &present_->queue_ == &queue;
  }
  /// Returns the queue for the call's work without a stream, which is done before the call is.
  virtual Queue &queueFor(Device &device) = 0;

 protected:
  explicit RunningCall(const Queue &queue) noexcept : queue_(queue) { present_ = this; }
  ~RunningCall() { present_ = nullptr; }

 private:
  static inline thread_local RunningCall *present_ = nullptr;
  const Queue &queue_;
};

}  // namespace nexus::core
