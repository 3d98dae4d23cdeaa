// SPDX-License-Identifier: Apache-2.0
#include "stream/in_flight_set.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/process_thread.hpp"

namespace nexus::core {
namespace {

// Nanoseconds of waiting in one round over all actions, and the minimum for each.
constexpr uint64_t kRound = 10'000'000;
constexpr uint64_t kLeast = 100'000;

struct WaitingAction {
  std::vector<QueuedWork> uses;
  std::function<void()> action;
};

// Returns whether a use is done. Work on a lost device counts as done.
bool isUseDone(const QueuedWork &use) noexcept {
  try {
    return use.queue->isDone(use.position);
  } catch (const std::exception &) {
    return true;
  }
}

// Waits at most nanoseconds; then as isUseDone().
bool waitDone(const QueuedWork &use, uint64_t nanoseconds) noexcept {
  try {
    return use.queue->waitDone(use.position, nanoseconds);
  } catch (const std::exception &) {
    return true;
  }
}

bool allDone(std::vector<QueuedWork> &uses, uint64_t nanoseconds) noexcept {
  while (!uses.empty() && waitDone(uses.back(), nanoseconds)) {
    uses.pop_back();
  }
  return uses.empty();
}

// Waits for work of plug-ins without callbacks, for a bounded time per piece of work in turn. It
// has its own thread, since neither copies nor callbacks may be delayed by that.
class WaitThread {
 public:
  void add(WaitingAction deferred) {
    const std::lock_guard<std::mutex> lock(mutex_);
    thread_.start("The thread that waits for work", [this] { run(); });
    waiting_.push_back(std::move(deferred));
    added_.notify_one();
  }

 private:
  void run() {
    while (true) {
      WaitingAction deferred;
      uint64_t part = 0;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        added_.wait(lock, [this] { return !waiting_.empty(); });
        part = std::max(kRound / waiting_.size(), kLeast);
        deferred = std::move(waiting_.front());
        waiting_.pop_front();
      }
      if (allDone(deferred.uses, part)) {
        deferred.action();
      } else {
        const std::lock_guard<std::mutex> lock(mutex_);
        waiting_.push_back(std::move(deferred));
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<WaitingAction> waiting_;  // under mutex_
  ProcessThread thread_;               // under mutex_
};

}  // namespace

void InFlightSet::add(Queue &queue, QueuePosition position, Removed &removed) {
  std::list<Noted> &done = removed.done;
  for (auto next = noted_.begin(); next != noted_.end();) {
    const auto noted = next++;
    Queue &of = *noted->queue;
    if (of.isCompleted(noted->position) || (of.ended() && isUseDone(noted->use()))) {
      done.splice(done.end(), noted_, noted);
    }
  }
  if (done.empty()) {
    noted_.emplace_back(queue, position, countOne());
    return;
  }
  // Reuses an entry, so that repeated copies allocate nothing.
  removed.queue = done.front().reuse(queue, position, countOne());
  noted_.splice(noted_.end(), done, done.begin());
}

void InFlightSet::collect(std::vector<QueuedWork> &out, uint64_t since) {
  const Lock lock(mutex_);
  for (const Noted &noted : noted_) {
    if (!noted.isAfter(since)) continue;
    const QueuedWork use = noted.use();
    if (use.queue->isCompleted(use.position)) continue;
    const bool ended = use.queue->ended();
    const QueuePosition last = ended ? use.queue->lastOf(use.position) : use.position;
    const nxs_completion_state state = use.queue->state(last);
    if (state == NXS_CompletionState_Running) {
      out.push_back({use.queue, last});
    } else if (state == NXS_CompletionState_Failed && !ended) {
      use.queue->throwFailure(last);
    }
  }
}

void InFlightSet::collectRunning(std::vector<QueuedWork> &out, uint64_t since) {
  const Lock lock(mutex_);
  for (const Noted &noted : noted_) {
    if (!noted.isAfter(since)) continue;
    QueuedWork use = noted.use();
    if (!isUseDone(use)) {
      out.push_back(std::move(use));
    }
  }
}

void InFlightSet::noteAll(InFlightSet &other, uint64_t since) {
  const Lock lock(other.mutex_);
  for (const Noted &noted : other.noted_) {
    if (!noted.isAfter(since)) continue;
    const QueuedWork use = noted.use();
    if (!use.queue->isCompleted(use.position)) note(*use.queue, use.position);
  }
}

bool InFlightSet::idle() {
  const Lock lock(mutex_);
  return std::all_of(noted_.begin(), noted_.end(),
                     [](const Noted &noted) { return noted.queue->isDone(noted.position); });
}

void whenDoneLater(std::vector<QueuedWork> uses, std::function<void()> action) {
  ofProcess<WaitThread>().add({std::move(uses), std::move(action)});
}

void whenDone(std::vector<QueuedWork> uses, std::function<void()> action) {
  if (allDone(uses, 0)) {
    action();
    return;
  }
  try {
    whenDoneLater(uses, action);
  } catch (const Failure &) {
    while (!allDone(uses, kRound)) {  // without the thread, wait here
    }
    action();
  }
}

}  // namespace nexus::core
