// SPDX-License-Identifier: Apache-2.0
#include "execution/branches.hpp"

#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

// Reads an integer that the program may write meanwhile, to end a loop.
[[gnu::noinline, gnu::no_sanitize_thread]] uint32_t read(const std::byte *value) noexcept {
  return __atomic_load_n(reinterpret_cast<const uint32_t *>(value), __ATOMIC_RELAXED);
}

}  // namespace

std::size_t Choice::next(uint64_t turns) const noexcept {
  const uint32_t number = read(value);
  if (type == NXS_CommandType_While) {
    return number != 0 && turns != max_count ? bodies.front() : end;
  }
  const std::size_t body = type == NXS_CommandType_Switch ? number : number != 0 ? 0 : 1;
  return body < bodies.size() ? bodies[body] : end;
}

std::size_t Branches::add(Step step, const std::vector<std::size_t> &after) {
  Node &node = nodes_.emplace_back();
  node.branches = this;
  node.step = std::move(step);
  node.predecessors = after.size();
  for (const std::size_t each : after) nodes_[each].followers.push_back(&node);
  return nodes_.size() - 1;
}

bool Branches::pay() const noexcept {
  uint64_t total = 0;
  for (const Node &node : nodes_) {
    const uint64_t expected = node.step.work ? node.step.work->expected_ns() : 0;
    if (expected > kShortNanoseconds - total) return true;
    total += expected;
  }
  return false;
}

bool Branches::start(Caller &caller, ThreadKind thread) noexcept {
  caller_ = &caller;
  failed_.store(false, std::memory_order_relaxed);
  failure_ = {};
  unfinished_.store(nodes_.size() + 1, std::memory_order_relaxed);
  Node *ready = nullptr;
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    node->missing.store(node->predecessors, std::memory_order_relaxed);
    if (node->predecessors == 0) node->next_ready = std::exchange(ready, &*node);
  }
  (void)proceed(ready, thread);
  return unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// Begins the ready nodes and, as far as this thread may do them itself, those that follow them.
// Returns whether it did the last node of the run.
bool Branches::proceed(Node *ready, ThreadKind thread) noexcept {
  while (ready != nullptr) {
    Node &node = *std::exchange(ready, ready->next_ready);
    if (!begin(node, thread, ready == nullptr)) continue;
    ready = ready_after(node, ready);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) return true;
  }
  return false;
}

// Adds the nodes that wait for nothing else to ready.
Branches::Node *Branches::ready_after(Node &node, Node *ready) noexcept {
  for (Node *each : node.followers) {
    if (each->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    each->next_ready = std::exchange(ready, each);
  }
  return ready;
}

// Returns whether the node is done; if not, another thread goes on with it. is_last: no other node
// waits for this thread, so it may do longer work.
bool Branches::begin(Node &node, ThreadKind thread, bool is_last) noexcept {
  const Step &step = node.step;
  if (step.release != nullptr) step.release->release();
  if (step.acquire != nullptr) {
    node.proceed = [](RunLock::Waiter &waiter) noexcept {
      Node &has_lock = static_cast<Node &>(waiter);
      has_lock.branches->done(has_lock, ThreadKind::kCaller);
    };
    return step.acquire->acquire(node);
  }
  if (!step.work || step.work->units() == 0 || failed_.load(std::memory_order_relaxed)) return true;
  Work &work = *step.work;
  if (thread == ThreadKind::kWorker && is_last && worker_runs(work)) {
    const bool timed = work.wants_time();
    const uint64_t start = timed ? now_ns() : 0;
    work.run(0, work.units(), Pool::current_worker());
    finish_work(node, timed ? now_ns() - start : 0);
    return true;
  }
  node.set(work, [](Job &job) noexcept {
    Node &finished = static_cast<Node &>(job);
    finished.branches->finish_work(finished, finished.busy_ns.load(std::memory_order_relaxed));
    finished.branches->done(finished, ThreadKind::kWorker);
  });
  Pool::get().submit(node);
  return false;
}

void Branches::finish_work(Node &node, uint64_t busy_ns) noexcept {
  try {
    node.step.work->finish(busy_ns);
  } catch (...) {
    if (!failed_.exchange(true, std::memory_order_relaxed)) failure_ = current_failure();
  }
}

// Goes on after a node that another thread had to do. Afterwards the run may be over and this
// destroyed.
void Branches::done(Node &node, ThreadKind thread) noexcept {
  Node *const ready = ready_after(node, nullptr);
  Caller &caller = *caller_;
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1 || proceed(ready, thread)) {
    caller.over(caller, thread);
  }
}

}  // namespace nexus_cpu
