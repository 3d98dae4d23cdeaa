// SPDX-License-Identifier: Apache-2.0
#include "tickets.hpp"

#include "stream.hpp"
#include "wait_threads.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace nexus_opencl NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::FailurePtr;
using nexus_plugin::Ref;

namespace {

constexpr std::size_t kFirstCapacity = 64;
// A driver that forgets to ring is asked again after so many nanoseconds.
constexpr uint64_t kLook = 10'000'000;
// Work is often done before a sleeping thread would have woken.
constexpr std::chrono::microseconds kSpin{20};

using Clock = std::chrono::steady_clock;

FailurePtr failure_of(cl_int status) noexcept {
  try {
    throw_error(status, "work of the stream");
  } catch (...) {
    return nexus_plugin::current_failure();
  }
}

void ring(cl_event, cl_int, void *user) {
  const std::unique_ptr<BellPtr> bell(static_cast<BellPtr *>(user));
  (*bell)->ring();
}

}  // namespace

cl_int status_of_event(const Functions &cl, cl_event event) noexcept {
  cl_int status = CL_COMPLETE;
  const cl_int error =
      cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
  return error == CL_SUCCESS ? status : error;
}

// ---- Conditions -------------------------------------------------------

Condition::Condition(Ref<Stream> stream, nxs_ticket number)
    : awaited(std::move(stream)), ticket(number) {}
Condition::Condition() = default;
Condition::~Condition() = default;

bool Condition::known() const noexcept {
  return awaited ? awaited->tickets().completion().done(ticket)
                 : returned.load(std::memory_order_acquire);
}

FailurePtr Condition::failure() const noexcept {
  if (!awaited) return {};
  const auto &completion = awaited->tickets().completion();
  return completion.completed() >= ticket ? FailurePtr() : completion.cause();
}

// ---- Submitting -------------------------------------------------------

Tickets::~Tickets() {
  for (; first_ != next_; ++first_) {
    if (at(first_).event != nullptr) release(*cl_, at(first_).event);
  }
}

void Tickets::prepare() {
  if (cause_) throw nexus_plugin::Failed(cause_);
  if (next_ - first_ == capacity_) make_room();
}

// What is done leaves; where little is, the ring gets twice the places. It never blocks.
void Tickets::make_room() {
  (void)reap();
  completion_.refuse_after_failure();
  if (cause_) throw nexus_plugin::Failed(cause_);
  if (capacity_ != 0 && next_ - first_ <= capacity_ / 2) return;
  const std::size_t capacity = std::max(kFirstCapacity, 2 * capacity_);
  auto marks = std::make_unique<Mark[]>(capacity);
  for (std::size_t place = first_; place != next_; ++place) {
    marks[place & (capacity - 1)] = std::move(at(place));
  }
  marks_ = std::move(marks);
  capacity_ = capacity;
}

nxs_ticket Tickets::add(cl_event event, ConditionPtr condition) noexcept {
  const nxs_ticket ticket = completion_.issue_checked();
  Mark &mark = at(next_++);
  mark.ticket = ticket;
  mark.event = event;
  mark.condition = std::move(condition);
  mark.watched = false;
  // Nothing before it, and nothing enqueued for it: it is done now.
  if (event == nullptr && next_ - first_ == 1) (void)reap();
  return ticket;
}

void Tickets::fail(FailurePtr cause) noexcept {
  if (!cause_) cause_ = std::move(cause);
  if (first_ == next_) completion_.fail(cause_);
}

cl_event Tickets::newest_event() const noexcept {
  const Mark *mark = last_event_until(completion_.last());
  if (mark == nullptr) return nullptr;
  retain(*cl_, mark->event);
  return mark->event;
}

// ---- What became of them ----------------------------------------------

// Takes out the marks that are done. Returns the condition that keeps the first one, where only
// the stream that it waits for can tell. With the mutex held.
ConditionPtr Tickets::reap() noexcept {
  while (first_ != next_) {
    const Mark &mark = at(first_);
    const cl_int status = mark.event == nullptr ? CL_COMPLETE : status_of_event(*cl_, mark.event);
    if (status > CL_COMPLETE) return {};
    FailurePtr failure;
    if (mark.condition) {
      if (!mark.condition->known()) return mark.condition;
      failure = mark.condition->failure();
    }
    if (!failure && status < CL_COMPLETE) failure = failure_of(status);
    take_first(std::move(failure));
  }
  return {};
}

// The first mark is done. What was submitted behind a failure may still run and use the host's
// memory, so the failure is told when all of it is done too.
void Tickets::take_first(FailurePtr failure) noexcept {
  Mark &mark = at(first_++);
  if (mark.event != nullptr) release(*cl_, std::exchange(mark.event, nullptr));
  mark.condition = {};
  if (failure && !cause_) cause_ = std::move(failure);
  if (!cause_) {
    completion_.complete(mark.ticket);
  } else if (first_ == next_) {
    completion_.fail(cause_);
  }
}

void Tickets::poll() noexcept {
  while (true) {
    ConditionPtr unclear;
    {
      const std::lock_guard lock(mutex_);
      unclear = reap();
    }
    // Asked without the lock, since streams may wait for each other's earlier work.
    if (!unclear || !unclear->awaited) return;
    unclear->awaited->tickets().poll();
    if (!unclear->known()) return;
  }
}

bool Tickets::done(nxs_ticket ticket) noexcept {
  if (completion_.done(ticket)) return true;
  poll();
  return completion_.done(ticket);
}

FailurePtr Tickets::cause() noexcept {
  poll();
  const std::lock_guard lock(mutex_);
  return cause_;
}

void Tickets::query(nxs_ticket ticket, nxs_completion *out_completion) {
  completion_.query(ticket, out_completion);
  if (out_completion->state != NXS_CompletionState_Running) return;
  poll();
  completion_.query(ticket, out_completion);
}

void Tickets::wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
  query(ticket, out_completion);
  if (out_completion->state != NXS_CompletionState_Running || timeout == 0) return;
  if (ticket == 0) ticket = completion_.last();
  const auto longest = std::min(timeout, nexus_plugin::WaitPoint::kLongest);
  const auto end = Clock::now() + std::chrono::nanoseconds(longest);
  for (bool is_done = spin(ticket); !is_done;) {
    const uint64_t seen = bell_->rung();
    const bool rings = watch(ticket);
    is_done = done(ticket);
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now());
    if (is_done || left.count() <= 0) break;
    const uint64_t most = rings ? kLook : kLook / 10;
    bell_->wait(seen, std::min(static_cast<uint64_t>(left.count()), most));
    is_done = done(ticket);
  }
  completion_.query(ticket, out_completion);
}

bool Tickets::spin(nxs_ticket ticket) noexcept {
  for (const auto end = Clock::now() + kSpin; Clock::now() < end;) {
    if (done(ticket)) return true;
    std::this_thread::yield();
  }
  return false;
}

// The newest mark up to a ticket that has an event; NULL where there is none. With the mutex held.
Tickets::Mark *Tickets::last_event_until(nxs_ticket ticket) const noexcept {
  for (std::size_t place = next_; place != first_;) {
    Mark &mark = at(--place);
    if (mark.ticket <= ticket && mark.event != nullptr) return &mark;
  }
  return nullptr;
}

cl_event Tickets::event_of(nxs_ticket ticket) noexcept {
  const std::lock_guard lock(mutex_);
  const Mark *mark = last_event_until(ticket);
  if (mark == nullptr) return nullptr;
  retain(*cl_, mark->event);
  return mark->event;
}

// Lets the driver ring when the ticket is done. False where it doesn't.
bool Tickets::watch(nxs_ticket ticket) noexcept {
  Owned<cl_event> event;
  {
    const std::lock_guard lock(mutex_);
    Mark *mark = last_event_until(ticket);
    if (mark == nullptr || mark->watched) return true;
    mark->watched = true;
    retain(*cl_, mark->event);
    event = Owned<cl_event>(*cl_, mark->event);
  }
  return ring_when_done(std::move(event));
}

// Without the lock: a driver may call ring() before it returns.
bool Tickets::ring_when_done(Owned<cl_event> event) noexcept {
  if (wait_inside_) return ring_after_waiting(*cl_, std::move(event), bell_);
  try {
    auto bell = std::make_unique<BellPtr>(bell_);
    if (cl_->SetEventCallback(event.get(), CL_COMPLETE, ring, bell.get()) != CL_SUCCESS) {
      return false;
    }
    static_cast<void>(bell.release());
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

}  // namespace nexus_opencl
