// SPDX-License-Identifier: Apache-2.0
//
// Wakes of queues that wait until their caller holds no lock.
#pragma once

#include <vector>

#include "base/ref.hpp"

namespace nexus::core {

class Queue;

/// Collects queues that may be able to submit held work now, and wakes them when it goes out of
/// scope. Declare it before any lock that is held meanwhile, and end its scope before waiting for
/// the work.
class DeferredWakes {
 public:
  DeferredWakes();
  ~DeferredWakes();
  DeferredWakes(const DeferredWakes &) = delete;
  DeferredWakes &operator=(const DeferredWakes &) = delete;

  void add(Queue &queue);

 private:
  friend void wakePending() noexcept;

  bool takeOver(std::vector<Ref<Queue>> &queues) noexcept;
  void wakeAll() noexcept;

  std::vector<Ref<Queue>> queues_;
};

}  // namespace nexus::core
