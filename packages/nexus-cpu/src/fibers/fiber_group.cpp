// SPDX-License-Identifier: Apache-2.0
#include "fibers/fiber_group.hpp"

#include <cerrno>
#include <new>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {

// ---- Going on ---------------------------------------------------------

void FiberGroup::start(const Body &body, const int32_t *item, int32_t site) {
  // Checks the previous group: its first item has ended, else it would wait itself.
  if (!ended_well()) leave();
  body_ = body;
  others_ = static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) *
                static_cast<std::size_t>(size_[2]) -
            1;
  const Item reached = {item[0], item[1], item[2]};
  const Item first{};
  if (reached != first) {  // items run in order, so the earlier ones have ended
    give_up(Kind::kEnded, reached, site, first);
  }
  if (others_ == 0) return;
  take_fibers(others_ + 1);
  next_item_ = this->item(1);
  go_round();  // to this barrier
  wait_first(site);
}

void FiberGroup::wait(int32_t site) {
  Fiber *fiber = current_;
  if (fiber == first_) return wait_first(site);
  fiber->site = site;
  fiber->waiting = true;
  differ_ |= site ^ first_[1].site;
  ++waiting_;
  go_on_with_next(fiber);
}

void FiberGroup::wait_first(int32_t site) {
  if (others_ == 0) return;
  if (waiting_ == 0) give_up(Kind::kEnded, Item{}, site, item(1));
  if (site != first_[1].site) give_up(Kind::kSites, Item{}, site, item(1), first_[1].site);
  go_round();
}

// Runs the other items from one barrier to the next.
void FiberGroup::go_round() {
  waiting_ = 0;
  differ_ = 0;
  go_on_with_next(first_);
  if (waiting_ == others_ && differ_ == 0) return;
  if (waiting_ == 0) {
    fibers_->user = nullptr;
    return;
  }
  if (waiting_ == kAbandoned) leave();
  if (waiting_ != others_) {
    const std::size_t one = find(true);
    give_up(Kind::kEnded, item(one), first_[one].site, item(find(false)));
  }
  std::size_t other = 2;
  while (first_[other].site == first_[1].site) ++other;
  give_up(Kind::kSites, item(1), first_[1].site, item(other), first_[other].site);
}

[[gnu::always_inline]] inline void FiberGroup::go_on_with_next(Fiber *fiber) {
  Fiber *next = fiber + 1 == end_ ? first_ : fiber + 1;
  current_ = next;
  // Prefetches the stack after the next, since all stacks do not fit into the L1 cache. The array
  // has one fiber more than the largest group.
  const char *ahead = reinterpret_cast<const char *>(next[1].context.stack);
  __builtin_prefetch(ahead);
  __builtin_prefetch(ahead + 64);
  __builtin_prefetch(ahead + 128);
  switch_fiber(*fiber, *next);
}

// ---- Fibers -----------------------------------------------------------

void FiberGroup::enter(Context *context) {
  auto *fiber = reinterpret_cast<Fiber *>(context);
  entered_fiber(fiber[0], fiber[-1]);
  const Fibers &fibers = Fibers::mine();
  for (;;) fibers.user->run_next_item(fiber);
}

void FiberGroup::run_next_item(Fiber *fiber) {
  const Item item = next_item_;
  for (std::size_t d = 0; d < 3 && ++next_item_[d] == size_[d]; ++d) next_item_[d] = 0;
  body_.run(body_.context, item.data());
  fiber->waiting = false;
  go_on_with_next(fiber);
}

void FiberGroup::take_fibers(std::size_t count) {
  Fibers &fibers = Fibers::mine();
  if (fibers.user != nullptr) give_up(Kind::kNested);
  try {
    fibers.reserve(count, enter);
  } catch (const std::system_error &error) {
    failure_.reason = error.code().value();
  } catch (const std::bad_alloc &) {
    failure_.reason = ENOMEM;
  }
  if (failure_.reason != 0) give_up(Kind::kMemory);
  fibers_ = &fibers;
  fibers.user = this;
  first_ = current_ = fibers.first();
  end_ = first_ + count;
  begin_own_fiber(*first_);
  for (Fiber *fiber = first_ + 1; fiber != end_; ++fiber) {
    take_modes(fiber->context, first_->context);
  }
}

// ---- Ends -------------------------------------------------------------

// Returns whether no item waits, after the first item of the latest group has ended.
bool FiberGroup::ended_well() {
  if (waiting_ == 0) return true;
  note(Kind::kEnded, item(1), first_[1].site);
  drop_fibers();
  return false;
}

void FiberGroup::note(Kind kind, const Item &waiting, int32_t site, const Item &other,
                      int32_t other_site) {
  failure_ = {kind, failure_.reason, body_.id, waiting, site, other, other_site};
}

void FiberGroup::give_up(Kind kind, const Item &waiting, int32_t site, const Item &other,
                         int32_t other_site) {
  note(kind, waiting, site, other, other_site);
  leave();
}

// Returns the index of an item, other than the first, that waits or has ended.
std::size_t FiberGroup::find(bool waiting) const noexcept {
  std::size_t index = 1;
  while (first_[index].waiting != waiting) ++index;
  return index;
}

Item FiberGroup::item(std::size_t index) const noexcept {
  const auto x = static_cast<std::size_t>(size_[0]);
  const auto y = static_cast<std::size_t>(size_[1]);
  return {static_cast<int32_t>(index % x), static_cast<int32_t>(index / x % y),
          static_cast<int32_t>(index / x / y)};
}

// Drops the waiting items.
void FiberGroup::drop_fibers() {
  if (fibers_ != nullptr && fibers_->user == this) {
    fibers_->drop(enter);
    fibers_->user = nullptr;
  }
  waiting_ = 0;
}

// Switches to the thread's own stack before the jump, since the sanitizers have a stack for each
// fiber.
void FiberGroup::abandon() noexcept {
  if (on_fiber()) {
    Fiber *fiber = std::exchange(current_, first_);
    waiting_ = kAbandoned;
    switch_fiber(*fiber, *first_);
  }
  leave();
}

void FiberGroup::leave() {
  drop_fibers();
#if defined(NEXUS_CPU_TSAN)
  longjmp(leave_, 1);  // the sanitizer does not intercept _longjmp
#else
  _longjmp(leave_, 1);
#endif
}

}  // namespace nexus_cpu
