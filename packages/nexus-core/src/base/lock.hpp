// SPDX-License-Identifier: Apache-2.0
//
// The lock of an object's state.
#pragma once

#include <mutex>

#include "base/log.hpp"

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

}  // namespace nexus::core
