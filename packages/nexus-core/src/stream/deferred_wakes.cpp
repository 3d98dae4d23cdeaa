// SPDX-License-Identifier: Apache-2.0
#include "stream/deferred_wakes.hpp"

#include <new>
#include <utility>

#include "stream/queue.hpp"

namespace nexus::core {
namespace {

// The DeferredWakes that wakes queues on this thread now, or NULL.
thread_local DeferredWakes *waking = nullptr;

}  // namespace

DeferredWakes::DeferredWakes() = default;

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
