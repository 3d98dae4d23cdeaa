// SPDX-License-Identifier: Apache-2.0
//
// The lock of an object's state, and a condition variable that survives a fork().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/log.hpp"
#include "base/process.hpp"

namespace nexus::core {

/// Locks a mutex under which plug-ins may be called. Their log lines are written after the unlock,
/// since the user's log function may take a lock whose holder waits for this mutex.
class Lock {
 public:
  explicit Lock(std::mutex &mutex) : lock_(mutex) {}

 private:
  LogHold hold_;  // destroyed after the lock
  std::lock_guard<std::mutex> lock_;
};

/// In the child of a fork() the destructor leaves the variable as it is: glibc's would wait for
/// waiting threads of the parent, which the child does not have.
class Condition {
 public:
  Condition() : variable_() {}
  ~Condition() {
    if (generation_ == processGeneration()) variable_.~condition_variable();
  }
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;

  std::condition_variable *operator->() noexcept { return &variable_; }

 private:
  const uint64_t generation_ = processGeneration();
  union {
    std::condition_variable variable_;
  };
};

}  // namespace nexus::core
