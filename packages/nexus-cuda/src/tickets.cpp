// SPDX-License-Identifier: Apache-2.0
#include "tickets.hpp"

#include "context.hpp"
#include "device_state.hpp"
#include "janitor.hpp"
#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::FailurePtr;

namespace {

constexpr std::size_t kFirstCapacity = 64;
constexpr const char *kWork = "work of the stream";
// A sleeping thread wakes tens of microseconds late, which short work would show. The driver's own
// wait yields in the same way, and without an end.
constexpr std::chrono::milliseconds kSpin{10};
constexpr std::chrono::milliseconds kMostToAsk{1};
// The driver has no wait with an end, so it is asked again: after a pause that grows with the wait,
// so that a wake comes late by a small part of it.
constexpr uint64_t kShortestPause = 20'000, kLongestPause = 500'000;  // nanoseconds
constexpr uint64_t kPauseShare = 50;

}  // namespace

// The device may still use the slots of what is not done.
Tickets::~Tickets() {
  for (; conditions_ != 0 && first_ != next_; ++first_) {
    Mark &mark = at(first_);
    if (!mark.condition || !mark.event) continue;
    if (failing_) {  // it was told so, and the caller's memory may be gone
      clean_later(*device_, {mark.event}, [condition = std::move(mark.condition)] {});
      continue;
    }
    clean_later(*device_, {mark.event},
                [condition = std::move(mark.condition)] { condition->complete(); });
  }
}

// ---- Submitting -------------------------------------------------------

bool Tickets::refused() const noexcept {
  return device_->lost() != nullptr || completion_.failure() != nullptr;
}

void Tickets::prepare_slowly() {
  if (device_->lost() != nullptr) fail_when_ended(device_->lost_cause());
  completion_.refuse_after_failure();
  if (cause_) throw nexus_plugin::Failed(cause_);
  const CurrentContext current(*device_);
  make_room();
}

// What is done leaves; where little is, the ring gets twice the places. It never blocks.
void Tickets::make_room() {
  if (capacity_ != 0) (void)reap();
  completion_.refuse_after_failure();
  if (capacity_ != 0 && next_ - first_ <= capacity_ / 2) return;
  const std::size_t capacity = std::max(kFirstCapacity, 2 * capacity_);
  auto marks = std::make_unique<Mark[]>(capacity);
  for (std::size_t place = first_; place != next_; ++place) {
    marks[place & (capacity - 1)] = std::move(at(place));
  }
  marks_ = std::move(marks);
  capacity_ = capacity;
}

// prepare() has made the place.
void Tickets::put(Mark mark) noexcept {
  marked_ = mark.ticket;
  if (mark.condition) ++conditions_;
  at(next_++) = std::move(mark);
}

nxs_ticket Tickets::add(EventPtr event, ConditionPtr condition) noexcept {
  const nxs_ticket ticket = completion_.issue_checked();
  put({ticket, std::move(event), std::move(condition)});
  return ticket;
}

// A mark behind all that was submitted. False where there can be none now.
bool Tickets::mark_newest() noexcept {
  const nxs_ticket newest = completion_.last();
  if (marked_ >= newest) return true;
  try {
    const CurrentContext current(*device_);
    if (next_ - first_ == capacity_) make_room();
    EventPtr event = EventPtr::make(device_->state().events, false);
    device_->check(cu.EventRecord(event->get(), lane_->stream), kWork);
    put({newest, std::move(event), {}});
    return true;
  } catch (const std::exception &) {
    if (device_->lost() != nullptr) fail_when_ended(device_->lost_cause());
    return false;  // the next who asks tries again
  }
}

// What was begun gets a ticket that nobody is given: the stream runs until that is done too, and
// fails then, unless the device is lost.
void Tickets::fail(FailurePtr cause) noexcept {
  if (device_->lost() != nullptr) return fail_when_ended(device_->lost_cause());
  if (cause_) return;
  cause_ = std::move(cause);
  cut_short_ = completion_.issue_checked();
  (void)mark_newest();
}

void Tickets::end_cut_short() noexcept {
  completion_.complete(cut_short_ - 1);
  fail_when_ended(cause_);
}

// The driver may still copy from and to the memory of what comes behind the failure, unless the
// device is lost, and so may threads of ours.
void Tickets::fail_when_ended(FailurePtr cause) noexcept {
  if (!failing_) {
    failing_ = true;
    cause_ = std::move(cause);
    if (device_->lost() == nullptr) end_ = try_record();
  }
  if (copies_up_to(completion_.last())) return;
  if (device_->lost() == nullptr && still_runs([&] { return ask_end(); })) return;
  completion_.fail(cause_);
  bell_->ring();
}

// An event behind all that was enqueued; empty where the driver gives none.
EventPtr Tickets::try_record() noexcept {
  try {
    EventPtr event = EventPtr::make(device_->state().events, false);
    return cu.EventRecord(event->get(), lane_->stream) == CUDA_SUCCESS ? event : EventPtr();
  } catch (const std::exception &) {
    return {};
  }
}

// What comes later is not asked of: others may have work in the stream that never pauses.
CUresult Tickets::ask_end() noexcept {
  return end_ ? cu.EventQuery(end_->get()) : cu.StreamQuery(lane_->stream);
}

// ---- What became of them ----------------------------------------------

void Tickets::take_first() noexcept {
  Mark taken = std::move(at(first_));
  at(first_++) = Mark();
  if (taken.condition) {
    taken.condition->complete();
    --conditions_;
  }
  completion_.complete(taken.ticket);
}

// Whether the mark's condition has failed: then the stream fails.
bool Tickets::fails_by(const Mark &mark) noexcept {
  FailurePtr failure = mark.condition ? mark.condition->failure() : FailurePtr();
  if (!failure) return false;
  fail_when_ended(std::move(failure));
  return true;
}

// Takes out the marks that are done. Returns the condition that keeps the first one, where only
// the stream that it waits for can tell. With the mutex held.
ConditionPtr Tickets::reap() noexcept {
  while (first_ != next_ && !failing_) {
    const Mark &mark = at(first_);
    if (fails_by(mark)) return {};
    const CUresult status = mark.event ? cu.EventQuery(mark.event->get()) : CUDA_SUCCESS;
    if (status == CUDA_ERROR_NOT_READY) return {};  // streams may wait for each other in turn
    if (status != CUDA_SUCCESS) {
      fail_when_ended(device_->failure_of(status, kWork));
      return {};
    }
    if (mark.condition && !mark.condition->known()) return mark.condition;
    if (fails_by(mark)) return {};  // it may have become known since it was asked above
    if (mark.ticket == cut_short_) {
      end_cut_short();
      return {};
    }
    take_first();
  }
  return {};
}

// The stream is empty: then all tickets are done, those without a mark too.
bool Tickets::all_is_done() noexcept {
  if (conditions_ != 0) return false;
  const nxs_ticket newest = completion_.last();
  const CUresult status = cu.StreamQuery(lane_->stream);
  if (status == CUDA_ERROR_NOT_READY) return false;
  if (status != CUDA_SUCCESS) {
    fail_when_ended(device_->failure_of(status, kWork));
    return true;
  }
  while (first_ != next_) at(first_++) = Mark();
  marked_ = newest;
  if (cause_) {
    end_cut_short();
  } else {
    completion_.complete(newest);
  }
  return true;
}

// With the mutex held.
ConditionPtr Tickets::look(nxs_ticket ticket) noexcept {
  if (device_->lost() != nullptr) fail_when_ended(device_->lost_cause());
  if (completion_.done(ticket)) return {};
  try {
    const CurrentContext current(*device_);
    if (failing_) {
      fail_when_ended(cause_);
      return {};
    }
    if (ticket > marked_) {
      if (all_is_done()) return {};
      (void)mark_newest();
    }
    return reap();
  } catch (const std::exception &) {
    if (device_->lost() != nullptr) fail_when_ended(device_->lost_cause());
    return {};
  }
}

// Empty where somebody submits for long: the driver may let one wait, as where its queue is full,
// and those who ask wait for nobody's work. What they know stays.
std::unique_lock<std::mutex> Tickets::lock_to_ask() noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) return lock;
  const auto end = Clock::now() + kMostToAsk;
  while (!lock.try_lock() && Clock::now() < end) std::this_thread::yield();
  return lock;
}

void Tickets::poll(nxs_ticket ticket) noexcept {
  while (true) {
    ConditionPtr unclear;
    {
      const auto lock = lock_to_ask();
      if (!lock) return;
      unclear = look(ticket);
    }
    // Asked without the lock, since streams may wait for each other's earlier work.
    if (!unclear || !unclear->awaited() || unclear->known()) return;
    Tickets &other = unclear->awaited()->tickets();
    other.poll(other.completion().last());
    if (!unclear->known()) return;
  }
}

bool Tickets::done(nxs_ticket ticket) noexcept {
  if (completion_.done(ticket)) return true;
  poll(ticket);
  return completion_.done(ticket);
}

bool Tickets::idle() noexcept {
  (void)look(completion_.last());
  return completion_.idle();
}

// A mark that the driver refused is missing: those that there are count.
bool Tickets::settled(nxs_ticket ticket, FailurePtr *cause) noexcept {
  poll(ticket);
  const auto lock = lock_to_ask();
  if (!lock) return false;
  const bool taken = first_ == next_ || at(first_).ticket > ticket;
  if (!completion_.done(ticket) && !taken && (!failing_ || copies_up_to(ticket))) return false;
  if (cause != nullptr) *cause = failing_ ? cause_ : completion_.cause();
  return true;
}

bool Tickets::copies_up_to(nxs_ticket ticket) noexcept {
  for (std::size_t place = first_; place != next_ && at(place).ticket <= ticket; ++place) {
    const Mark &mark = at(place);
    if (mark.condition && mark.condition->copies()) return true;
  }
  return false;
}

FailurePtr Tickets::cause() noexcept {
  poll(completion_.last());
  return completion_.cause();
}

void Tickets::query(nxs_ticket ticket, nxs_completion *out_completion) {
  completion_.query(ticket, out_completion);
  // The stream is asked with the lock, under which it fails as soon as its last ticket is complete.
  if (out_completion->state != NXS_CompletionState_Running && ticket != 0) return;
  poll(ticket == 0 ? completion_.last() : ticket);
  completion_.query(ticket, out_completion);
}

void Tickets::wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
  wait_until(ticket, timeout, out_completion);
  if (out_completion->state != NXS_CompletionState_Running) {
    device_->state().memory.keep_to_threshold();
  }
}

void Tickets::wait_until(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
  query(ticket, out_completion);
  if (out_completion->state != NXS_CompletionState_Running || timeout == 0) return;
  if (ticket == 0) ticket = completion_.last();
  const auto longest = std::min(timeout, nexus_plugin::WaitPoint::kLongest);
  const auto begun = Clock::now();
  const auto end = begun + std::chrono::nanoseconds(longest);
  for (bool is_done = spin(ticket, std::min(end, begun + kSpin)); !is_done;) {
    const uint64_t seen = bell_->rung();
    is_done = done(ticket);
    const auto now = Clock::now();
    if (is_done || now >= end) break;
    const auto left = static_cast<uint64_t>(std::chrono::nanoseconds(end - now).count());
    const auto waited = static_cast<uint64_t>(std::chrono::nanoseconds(now - begun).count());
    const uint64_t pause = std::clamp(waited / kPauseShare, kShortestPause, kLongestPause);
    bell_->wait(seen, std::min(left, pause));
    is_done = done(ticket);
  }
  completion_.query(ticket, out_completion);
}

bool Tickets::spin(nxs_ticket ticket, Clock::time_point end) noexcept {
  while (Clock::now() < end) {
    if (done(ticket)) return true;
    std::this_thread::yield();
  }
  return false;
}

EventPtr Tickets::event_of(nxs_ticket ticket) {
  const std::lock_guard lock(mutex_);
  (void)look(ticket);
  if (completion_.done(ticket)) return {};
  for (std::size_t place = first_; place != next_; ++place) {
    const Mark &mark = at(place);
    if (mark.ticket >= ticket && mark.event) return mark.event;
  }
  const CurrentContext current(*device_);
  EventPtr event = EventPtr::make(device_->state().events, false);
  device_->check(cu.EventRecord(event->get(), lane_->stream), kWork);
  return event;
}

}  // namespace nexus_cuda
