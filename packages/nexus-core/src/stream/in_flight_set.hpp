// SPDX-License-Identifier: Apache-2.0
//
// Which submitted work uses a thing.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/ref.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

/// Work in a queue that uses a thing.
struct QueuedWork {
  Ref<Queue> queue;
  QueuePosition position = 0;
};

/// The newest use of a thing in each queue. Steady use in the same queues allocates
/// nothing. Any thread may use it.
class InFlightSet final : public Counted {
 public:
  InFlightSet() = default;
  ~InFlightSet() override = default;  // public, since a Memory holds its own as a member

  void note(Queue &queue, QueuePosition position) {
    Removed removed;  // released after the lock: queues may end with it, which calls the plug-in
    const Lock lock(mutex_);
    if (!noteAgain(queue, position)) add(queue, position, removed);
  }
  /// The same for a caller whose own lock keeps all notes of these uses apart: without a lock where
  /// the queue was noted before.
  void noteInTurn(Queue &queue, QueuePosition position) {
    if (noteAgain(queue, position)) [[likely]] {
      return;
    }
    Removed removed;  // released after the lock
    const Lock lock(mutex_);
    add(queue, position, removed);
  }

  /// How many uses were noted: what since means below.
  uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

  /// Appends the uses noted since then that are not done to out. Throws the failure of one
  /// that failed, unless its stream was closed.
  void collect(std::vector<QueuedWork> &out, uint64_t since = 0);
  /// The same, where failed ones count as done.
  void collectRunning(std::vector<QueuedWork> &out, uint64_t since = 0);
  /// Notes here the uses of another since then that are not known to be done; asks no plug-in.
  void noteAll(InFlightSet &other, uint64_t since);

  /// Whether none is running.
  bool idle();

 private:
  /// The newest use in one queue. Who reads a number finds its position, or that of a later one.
  struct Noted {
    Noted(Queue &in, QueuePosition at, uint64_t count) : queue(in), position(at), number(count) {}

    Ref<Queue> become(Queue &in, QueuePosition at, uint64_t count) {
      Ref<Queue> before = std::exchange(queue, Ref(in));
      position.store(at, std::memory_order_relaxed);
      number.store(count, std::memory_order_release);
      return before;
    }
    QueuedWork use() const { return {queue, position.load(std::memory_order_relaxed)}; }
    bool isAfter(uint64_t since) const noexcept {
      return number.load(std::memory_order_acquire) > since;
    }

    Ref<Queue> queue;  // changed under mutex_
    std::atomic<QueuePosition> position;
    std::atomic<uint64_t> number;
  };

  struct Removed {
    std::list<Noted> done;
    Ref<Queue> queue;
  };

  uint64_t countOne() noexcept {
    const uint64_t number = count() + 1;
    count_.store(number, std::memory_order_relaxed);
    return number;
  }
  // False: the queue was not noted yet.
  bool noteAgain(Queue &queue, QueuePosition position) {
    for (Noted &noted : noted_) {
      if (noted.queue.get() == &queue) {
        // Another thread may have noted one that it submitted later.
        const QueuePosition before = noted.position.load(std::memory_order_relaxed);
        noted.position.store(queue.later(before, position), std::memory_order_relaxed);
        noted.number.store(countOne(), std::memory_order_release);
        return true;
      }
    }
    return false;
  }
  void add(Queue &queue, QueuePosition position, Removed &removed);

  std::mutex mutex_;
  std::list<Noted> noted_;          // which there are, under mutex_; changed by those who note
  std::atomic<uint64_t> count_{0};  // changed by those who note
};

/// Calls action once, when all uses are done, whether completed or failed: now, where they
/// are, else on the one thread that libnexus has for such things. action throws nothing.
void whenDone(std::vector<QueuedWork> uses, std::function<void()> action);
/// The same, but never now, so that the caller may hold locks. Throws NXS_OutOfResources where
/// the thread can't be started.
void whenDoneLater(std::vector<QueuedWork> uses, std::function<void()> action);

}  // namespace nexus::core
