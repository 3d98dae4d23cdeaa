// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus-api/nxs.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ref.hpp"

namespace nexus::core {

class Device;
class Queue;

/// Scratch memory that a call may use, and where it lies.
struct CallMemory {
  nxs_id number;         // Memory::id()
  Ref<Counted> lies_in;  // a Memory
  uint64_t offset;
};

/// A call of a program's function by a queue, on this thread. The queue's earlier work is done, and
/// waiting for its held work would never end.
class RunningCall {
 public:
  RunningCall(const RunningCall &) = delete;
  RunningCall &operator=(const RunningCall &) = delete;

  /// Returns the call that this thread runs; NULL if it runs none.
  static RunningCall *present() noexcept {
    // Most programs have no such calls, and reading a thread-local variable costs more.
    return count_.load(std::memory_order_relaxed) == 0 ? nullptr : present_;
  }
  static bool isOf(const Queue &queue) noexcept {
    const RunningCall *call = present();
    return call != nullptr && &call->queue_ == &queue;
  }
  /// Returns the queue for the call's work without a stream, which is done before the call is.
  virtual Queue &queueFor(Device &device) = 0;
  /// Returns where scratch memory lies; NULL if the call may not use it.
  const CallMemory *memoryOf(nxs_id number) const noexcept {
    for (const CallMemory &each : memories_) {
      if (each.number == number) return &each;
    }
    return nullptr;
  }

 protected:
  RunningCall(const Queue &queue, const std::vector<CallMemory> &memories) noexcept
      : queue_(queue), memories_(memories) {
    present_ = this;
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  ~RunningCall() {
    count_.fetch_sub(1, std::memory_order_relaxed);
    present_ = nullptr;
  }

 private:
  static inline std::atomic<uint32_t> count_{0};  // of the process
  static inline thread_local RunningCall *present_ = nullptr;
  const Queue &queue_;
  const std::vector<CallMemory> &memories_;
};

}  // namespace nexus::core
