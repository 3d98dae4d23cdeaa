// SPDX-License-Identifier: Apache-2.0
//
// The submitted work that uses a buffer, schedule or other object.
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

/// Work in a queue that uses the object.
struct QueuedWork {
  Ref<Queue> queue;
  QueuePosition position = 0;
};

/// The newest use of an object in each queue. Repeated use in the same queues allocates nothing.
/// Any thread may use it.
class InFlightSet final : public Counted {
 public:
  InFlightSet() = default;
  /// end_uses: see end.
  explicit InFlightSet(std::function<void()> end_uses) : end(std::move(end_uses)) {}
  ~InFlightSet() override = default;  // public, since a Memory has one as a member

  void note(Queue &queue, QueuePosition position) {
    Removed removed;  // released after the lock: queues may end with it, which calls the plug-in
    const Lock lock(mutex_);
    if (!renote(queue, position)) add(queue, position, removed);
  }
  /// Like note(), for a caller that serializes all its notes with a lock of its own: takes no lock
  /// if the queue was noted before.
  void noteSerialized(Queue &queue, QueuePosition position) {
    if (renote(queue, position)) [[likely]] {
      return;
    }
    Removed removed;  // released after the lock
    const Lock lock(mutex_);
    add(queue, position, removed);
  }

  /// The number of notes so far, for since below.
  uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

  /// Appends to out the uses noted after since that are not done. Throws the failure of one that
  /// failed, unless its stream was closed.
  void collect(std::vector<QueuedWork> &out, uint64_t since = 0);
  /// Like collect(), but failed uses count as done.
  void collectRunning(std::vector<QueuedWork> &out, uint64_t since = 0);
  /// Notes here the uses in other noted after since that are not known to be done. Asks no plug-in.
  void noteAll(InFlightSet &other, uint64_t since);

  /// Returns whether all uses are done.
  bool idle();

  /// Called, without locks, when the program has closed its last buffer over a memory to which this
  /// is attached. Empty for a schedule of the program, which keeps what its commands use alive.
  const std::function<void()> end;

 private:
  /// The newest use in one queue. Reading `number` acquires a `position` at least as new.
  struct Noted {
    Noted(Queue &in, QueuePosition at, uint64_t count) : queue(in), position(at), number(count) {}

    Ref<Queue> reuse(Queue &in, QueuePosition at, uint64_t count) {
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
  // Returns false if the queue was not noted yet.
  bool renote(Queue &queue, QueuePosition position) {
    for (Noted &noted : noted_) {
      if (noted.queue.get() == &queue) {
        // Another thread may have noted a later submission already.
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
  std::list<Noted> noted_;          // under mutex_; entries are changed by the noting thread
  std::atomic<uint64_t> count_{0};  // changed by the noting thread
};

/// Calls action once when all uses have completed or failed: at once if they have already, else on
/// the process' wait thread. action must not throw.
void whenDone(std::vector<QueuedWork> uses, std::function<void()> action);
/// Like whenDone(), but never calls action at once, so that the caller may hold locks. Throws
/// NXS_OutOfResources if the thread can't be started.
void whenDoneLater(std::vector<QueuedWork> uses, std::function<void()> action);

}  // namespace nexus::core
