// SPDX-License-Identifier: Apache-2.0
//
// Waking queues with held work.
#include <new>
#include <utility>

#include "stream/queue.hpp"

namespace nexus::core {
namespace {

// The DeferredWakes that wakes queues on this thread now, or NULL.
thread_local DeferredWakes *waking = nullptr;

}  // namespace

void Queue::requireAccepting() {
  const std::lock_guard<std::mutex> lock(mutex_);
  requireAcceptingLocked();
}

void Queue::requireAcceptingLocked() {
  if (failure_) {
    throwOwnFailure();
  }
}

std::array<QueuePosition, 2> Queue::holdInBoth(const std::array<Queue *, 2> &queues,
                                               std::array<Work, 2> works, DeferredWakes &wakes) {
  const std::scoped_lock lock(queues[0]->mutex_, queues[1]->mutex_);
  queues[0]->requireAcceptingLocked();
  queues[1]->requireAcceptingLocked();
  return {queues[0]->holdLocked(std::move(works[0]), wakes),
          queues[1]->holdLocked(std::move(works[1]), wakes)};
}

void DeferredWakes::add(Queue &queue) {
  queues_.emplace_back(queue);
}

// A woken queue may submit signals that wake others, and so on, in a chain of any length. The
// outermost DeferredWakes takes over the queues of those within, so that the chain is a loop
// instead of a recursion.
DeferredWakes::~DeferredWakes() {
  if (queues_.empty()) {
    return;
  }
  if (waking != nullptr && waking->takeOver(queues_)) {
    return;
  }
  DeferredWakes *const outer = std::exchange(waking, this);
  wakeAll();
  waking = outer;
}

// Wakes one at a time: destroying the work of one may call the user's code, which may wait for the
// rest.
void DeferredWakes::wakeAll() noexcept {
  while (!queues_.empty()) {
    const Ref<Queue> next = std::move(queues_.back());
    queues_.pop_back();
    next->wake();
  }
}

void wakePending() noexcept {
  if (waking != nullptr) {
    waking->wakeAll();
  }
}

bool DeferredWakes::takeOver(std::vector<Ref<Queue>> &queues) noexcept {
  try {
    queues_.insert(queues_.end(), queues.begin(), queues.end());
    return true;
  } catch (const std::bad_alloc &) {
    return false;  // no memory for the list: the caller wakes them itself
  }
}

}  // namespace nexus::core
