// SPDX-License-Identifier: Apache-2.0
//
// Which submitted work uses a thing.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "lock.hpp"
#include "queue.hpp"
#include "ref.hpp"

namespace nexus::core {

/// Work in a queue that uses a thing.
struct Use {
  Ref<Queue> queue;
  Position position = 0;
};

/// The newest use of a thing in each queue. Steady use in the same queues allocates
/// nothing. Any thread may use it.
class Uses final : public Counted {
 public:
  Uses() = default;
  ~Uses() override = default;  // public, since a Memory holds its own as a member

  void note(Queue &queue, Position position) {
    const Lock lock(mutex_);
    ++count_;
    for (Noted &noted : noted_) {
      if (noted.use.queue.get() == &queue) {
        // Another thread may have noted one that it submitted later.
        noted.use.position = queue.later(noted.use.position, position);
        noted.number = count_;
        return;
      }
    }
    add(queue, position);
  }

  /// How many uses were noted: what since means below.
  uint64_t count();

  /// Appends the uses noted since then that are not done to out. Throws the failure of one
  /// that failed, unless its stream was closed.
  void collect(std::vector<Use> &out, uint64_t since = 0);
  /// The same, where failed ones count as done.
  void collectRunning(std::vector<Use> &out, uint64_t since = 0);

  /// Whether none is running.
  bool idle();

 private:
  struct Noted {
    Use use;
    uint64_t number;
  };

  void add(Queue &queue, Position position);

  std::mutex mutex_;
  std::vector<Noted> noted_;  // under mutex_
  uint64_t count_ = 0;        // under mutex_
};

/// Calls action once, when all uses are done, whether completed or failed: now, where they
/// are, else on the one thread that libnexus has for such things. action throws nothing.
void whenDone(std::vector<Use> uses, std::function<void()> action);
/// The same, but never now, so that the caller may hold locks. Throws NXS_OutOfResources where
/// the thread can't be started.
void whenDoneLater(std::vector<Use> uses, std::function<void()> action);

}  // namespace nexus::core
