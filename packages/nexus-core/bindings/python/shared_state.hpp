// SPDX-License-Identifier: Apache-2.0
//
// State that several Python threads use. Where Python has the GIL, their threads hold it and these
// types do nothing; in a free-threaded Python they lock.
#pragma once

#include <Python.h>

#include <atomic>
#include <mutex>

namespace nexus::python {

/// A lock for what the GIL guards elsewhere. Lock it with the GIL held, as gil.hpp defines that,
/// and briefly; meanwhile run no Python code, not even the destructor of an object.
///
/// Python stops threads, for a fork or its garbage collector, only in its own functions, so a
/// stopped thread never holds a lock. It is no PyMutex, since waiting for that can end a thread
/// when the interpreter ends.
class StateMutex {
 public:
  StateMutex() noexcept = default;
  // The copy of an object has a lock of its own.
  StateMutex(const StateMutex &) noexcept {}
  StateMutex &operator=(const StateMutex &) = delete;

#ifdef Py_GIL_DISABLED
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  std::mutex mutex_;
#else
  void lock() noexcept {}
  void unlock() noexcept {}
#endif
};

using StateLock = std::lock_guard<StateMutex>;

/// A value made by the first thread that asks, and constant from then on.
template <class Value>
class MadeOnce {
 public:
  MadeOnce() noexcept = default;
  // The copy of an object makes its own.
  MadeOnce(const MadeOnce &) noexcept {}
  MadeOnce &operator=(const MadeOnce &) = delete;

  /// make() must not run Python code. If it throws, the next call tries again.
  template <class Make>
  const Value &get(Make &&make) {
    if (!made_.load(std::memory_order_acquire)) {
      const StateLock lock(mutex_);
      if (!made_.load(std::memory_order_relaxed)) {
        value_ = make();
        made_.store(true, std::memory_order_release);
      }
    }
    return value_;
  }

 private:
  StateMutex mutex_;
  std::atomic<bool> made_{false};
  Value value_{};
};

}  // namespace nexus::python
