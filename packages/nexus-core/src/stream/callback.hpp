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

/// Host callbacks in the order in which they were appended. The lock of its user guards it.
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

/// A queue's callbacks that were submitted and have not fallen due, in the order in which they
/// will be called.
class PendingCallbacks {
 private:
  friend class CallbackThread;

  std::mutex adding_;  // while one is submitted: the plug-in has them in the same order. Work that
                       // ends does not take it, so the plug-in may wait for room meanwhile
  HostCallbackList calls_;  // under the mutex of the CallbackThread
};

/// Calls function(context, status) once, on the thread for callbacks, when the queue's earlier
/// work is done or has failed, also where it never will be submitted. Throws what hold() throws
/// and NXS_OutOfResources where the thread can't be started: then it is never called.
void addCallback(Queue &queue, nexus_callback_fn function, void *context, DeferredWakes &wakes);

/// For the end of the process: waits until the callbacks that are due, or lost with their stream,
/// were called, so many nanoseconds at most; those given so far that were not called by then never
/// will be.
void finishCallbacks(uint64_t timeout);

}  // namespace nexus::core
