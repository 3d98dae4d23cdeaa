// SPDX-License-Identifier: Apache-2.0
//
// The lock of an object's state.
#pragma once

#include <mutex>

#include "base/log.hpp"

namespace nexus::core {

/// Holds a mutex under which plug-ins may be called. What they log meanwhile is written after
/// the unlock, since the user's log function may take a lock that another thread holds while
/// it waits for this one.
class Lock {
 public:
  explicit Lock(std::mutex &mutex) : lock_(mutex) {}

 private:
  LogHold hold_;  // ends after the lock
  std::lock_guard<std::mutex> lock_;
};

}  // namespace nexus::core
