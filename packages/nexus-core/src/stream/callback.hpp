// SPDX-License-Identifier: Apache-2.0
//
// The user's callbacks in streams, and the one thread that calls them.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>
#include <mutex>

#include "base/ref.hpp"

namespace nexus::core {

class HostCallback;
class CallbackThread;
class Queue;
class DeferredWakes;

/// Host callbacks in the order in which they were appended. Guarded by the lock of its owner.
class HostCallbackList {
 public:
  HostCallbackList() = default;
  ~HostCallbackList();
  HostCallbackList(const HostCallbackList &) = delete;
  HostCallbackList &operator=(const HostCallbackList &) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  const HostCallback *first() const noexcept { return first_; }
  void append(Ref<HostCallback> call) noexcept;
  Ref<HostCallback> takeFirst() noexcept;

 private:
  HostCallback *first_ = nullptr;  // each with a reference
  HostCallback *last_ = nullptr;
};

/// A queue's submitted callbacks whose earlier work is not done, in the order of their calls.
class PendingCallbacks {
 private:
  friend class CallbackThread;

  // Locked while a callback is submitted, so that the plug-in gets them in the same order. Work
  // that finishes does not take it, so a plug-in that waits for room can't deadlock.
  std::mutex adding_;
  HostCallbackList calls_;  // under the mutex of the CallbackThread
};

/// Calls function(context, status) once, on the callback thread, when the queue's earlier work is
/// done or has failed, or when held earlier work is cancelled. Throws what Queue::hold() throws,
/// and NXS_OutOfResources if the thread can't be started; function is then never called.
void addCallback(Queue &queue, nexus_callback_fn function, void *context, DeferredWakes &wakes);

/// For the end of the process: waits at most timeout nanoseconds for the calls of callbacks that
/// are due or cancelled. Callbacks added before and not called by then are never called.
void finishCallbacks(uint64_t timeout);

}  // namespace nexus::core
