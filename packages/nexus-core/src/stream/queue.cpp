// SPDX-License-Identifier: Apache-2.0
#include "stream/queue.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "object/object.hpp"
#include "stream/running_call.hpp"

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
  if (queues_.empty()) return;
  if (waking != nullptr && waking->takeOver(queues_)) return;
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

namespace {

constexpr std::size_t kManySubmitted = 64;
constexpr const char *kFinish = "finish the work of a stream";
constexpr const char *kTakeMore = "take more work in a stream whose earlier work has failed";

}  // namespace

Queue::Queue(Device &device, int32_t priority) : device_(device) {
  device.plugin().call(&nxs_functions::CreateStream, "make a stream", device.id(), priority, &id_);
}

Queue::Queue(Device &device, uint64_t handle, ForeignOwner owner)
    : device_(device), foreign_(true), owner_(owner) {
  device.plugin().call(
      &nxs_functions::CreateStreamFromHandle,
      [&] { return "use the stream with the handle " + std::to_string(handle); }, device.id(),
      handle, &id_);
}

Queue::~Queue() {
  releaseNative(device_.plugin(), &nxs_functions::ReleaseStream, id_, "stream");
  if (owner_.release != nullptr && device_.ofThisProcess()) owner_.release(owner_.context);
}

// ---- Held work ---------------------------------------------------------------

QueuePosition Queue::hold(Work work, DeferredWakes &wakes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  requireAcceptingLocked();
  return holdLocked(std::move(work), wakes);
}

void Queue::requireAccepting() {
  const std::lock_guard<std::mutex> lock(mutex_);
  requireAcceptingLocked();
}

void Queue::requireAcceptingLocked() {
  if (failure_) {
    throwOwnFailure();
  }
  if (captured_) {
    failWith(NXS_InvalidOperation,
             "The stream captures the work of another library; end the capture first, or use "
             "another stream.");
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

QueuePosition Queue::holdLocked(Work work, DeferredWakes &wakes) {
  wakes.add(*this);
  held_.push_back(std::move(work));
  special_.store(true, std::memory_order_release);
  return kHeld | ++newest_held_;
}

void Queue::wake() noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  woken_ = true;
  if (advancing_) {
    return;  // the advancing thread checks again
  }
  advancing_ = true;
  while (std::exchange(woken_, false)) {
    advance(lock);
    failIfEnded(lock);
  }
  advancing_ = false;
}

void Queue::advance(std::unique_lock<std::mutex> &lock) {
  bool go_on = true;
  while (go_on && !held_.empty()) {
    // Keeps an empty entry in front while the work is tried, so that others append after it.
    Work work = std::exchange(held_.front(), Work{});
    std::optional<nxs_ticket> ticket;
    std::optional<Failure> cause;
    submitting_ = true;
    lock.unlock();
    try {
      ticket = work.submit(*this);
    } catch (const Failure &failure) {
      cause = failure;
    } catch (const std::bad_alloc &) {
      cause = Failure(NXS_OutOfHostMemory, "There was no memory to submit work held back.");
    }
    lock.lock();
    submitting_ = false;
    if (ticket) {
      noteSubmitted(*ticket);
    } else if (!failure_) {
      // Swapped, not moved: a moved-from function may keep a copy, which must not be destroyed
      // under the lock.
      std::swap(held_.front(), work);
      if (cause) failLocked(lock, *cause);
      return;
    } else {  // failed meanwhile, which removed the entry
      cause = *failure_;
      go_on = false;
      held_changed_.notify_all();
    }
    const bool many = submitted_.size() >= kManySubmitted;
    lock.unlock();
    if (many) askNewest();  // drops completed tickets; else they stay until the next query
    // Destroying what the work kept alive may take locks.
    if (cause && work.cancel) work.cancel(*cause);
    work = Work{};
    lock.lock();
  }
}

void Queue::noteSubmitted(nxs_ticket ticket) {
  ++newest_submitted_;
  while (!submitted_.empty() && isCompleted(submitted_.front().ticket)) {
    submitted_.pop_front();
  }
  submitted_.push_back({newest_submitted_, ticket != 0 ? submitted(ticket) : newestTicket()});
  if (!failure_) {
    held_.pop_front();
    if (held_.empty()) special_.store(false, std::memory_order_release);
  }
  held_changed_.notify_all();
}

void Queue::fail(const Failure &cause) {
  std::unique_lock<std::mutex> lock(mutex_);
  failLocked(lock, cause);
}

void Queue::cancelHeld(const Failure &cause) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!held_.empty()) {
    failLocked(lock, cause);
  }
}

void Queue::failLocked(std::unique_lock<std::mutex> &lock, const Failure &cause) {
  if (!failure_) {
    failure_ = cause;
  }
  special_.store(true, std::memory_order_release);
  std::deque<Work> lost = std::exchange(held_, {});
  held_changed_.notify_all();
  lock.unlock();
  for (const Work &work : lost) {
    if (work.cancel) {
      work.cancel(cause);
    }
  }
  lost.clear();
  lock.lock();
}

void Queue::end() {
  dropCapture();
  ended_.store(true, std::memory_order_release);
  stopLoops();
  wake();
}

void Queue::stopLoops() noexcept {
  if (!device_.plugin().has(NXS_Capability_Conditions)) return;
  loops_stopped_.store(true, std::memory_order_relaxed);
  try {
    device_.plugin().call(&nxs_functions::StopLoops, "end the loops of a stream", id_);
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Warning, device_.plugin().name, failure.text());
  }
}

// A closed queue takes no work, and its held work waits for no signal. Under mutex_, like
// failLocked(), which it calls.
void Queue::failIfEnded(std::unique_lock<std::mutex> &lock) {
  if (!ended() || failure_ || (!held_.empty() && held_.front().goes_on)) return;
  failLocked(
      lock, Failure(NXS_Cancelled,
                    "The stream was closed while this work waited for an unsignalled event; signal "
                    "the event, or wait for the stream, before closing it."));
}

// ---- State of work ------------------------------------------------------------

std::optional<nxs_ticket> Queue::resolve(QueuePosition position) {
  const uint64_t number = position & ~kHeld;
  if (isLost(number)) {
    throwOwnFailure();
  }
  if (number > newest_submitted_) return std::nullopt;
  for (const Submitted &done : submitted_) {
    if (done.number >= number) return done.number == number ? done.ticket : 0;
  }
  return 0;  // complete, and dropped
}

bool Queue::isHeld(QueuePosition position) {
  if ((position & kHeld) == 0) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return (position & ~kHeld) > newest_submitted_ && !isLost(position & ~kHeld);
}

QueuePosition Queue::newest() {
  if (!direct()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (newest_held_ > newest_submitted_) {  // held, or cancelled
      return kHeld | newest_held_;
    }
  }
  return newestTicket();
}

QueuePosition Queue::lastOf(QueuePosition position) {
  if ((position & kHeld) == 0) return position;
  const std::lock_guard<std::mutex> lock(mutex_);
  return isLost(position & ~kHeld) ? newestTicket() : position;
}

QueuePosition Queue::later(QueuePosition one, QueuePosition other) {
  const auto [ticket, held] = std::minmax(one, other);  // if they are of different kinds
  if (((ticket ^ held) & kHeld) == 0) return held;
  const std::lock_guard<std::mutex> lock(mutex_);
  // Work that is still held, or was cancelled, is behind all tickets.
  return (held & ~kHeld) > newest_submitted_ ? held : std::max(ticket, *resolve(held));
}

nxs_completion Queue::ask(nxs_ticket ticket, uint64_t nanoseconds) {
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  const Plugin &plugin = device_.plugin();
  if (nanoseconds == 0) {
    plugin.call(&nxs_functions::QueryStream, "query the work of a stream", id_, ticket,
                &completion);
  } else {
    plugin.call(&nxs_functions::WaitStream, "wait for the work of a stream", id_, ticket,
                nanoseconds, &completion);
  }
  nxs_ticket done = completion.completed;
  if (completion.state == NXS_CompletionState_Completed && done < ticket) {
    done = ticket;
  }
  // Only a hint, so losing another thread's greater value does no harm.
  if (completed_.load(std::memory_order_relaxed) < done) {
    completed_.store(done, std::memory_order_release);
  }
  return completion;
}

nxs_completion_state Queue::state() {
  const QueuePosition position = newest();
  return (position & kHeld) != 0 ? state(position) : ask(kStreamItself, 0).state;
}

nxs_completion_state Queue::state(QueuePosition position) {
  nxs_ticket ticket = position;
  if ((position & kHeld) != 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t number = position & ~kHeld;
    if (number > newest_submitted_) {
      return isLost(number) ? NXS_CompletionState_Failed : NXS_CompletionState_Running;
    }
    ticket = *resolve(position);
  }
  return isCompleted(ticket) ? NXS_CompletionState_Completed : ask(ticket, 0).state;
}

bool Queue::waitPart(QueuePosition position, uint64_t nanoseconds) {
  nxs_ticket ticket = position;
  if ((position & kHeld) != 0) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::optional<nxs_ticket> resolved = resolve(position);
    if (!resolved) {
      held_changed_.wait_for(lock, std::chrono::nanoseconds(nanoseconds));
      resolved = resolve(position);
    }
    if (!resolved) return false;
    ticket = *resolved;
  }
  if (isCompleted(ticket)) return true;
  const nxs_completion completion = ask(ticket, nanoseconds);
  throwIfFailed(completion);
  return completion.state == NXS_CompletionState_Completed;
}

bool Queue::waitDone(QueuePosition position, uint64_t nanoseconds) {
  nxs_ticket ticket = position;
  if ((position & kHeld) != 0) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t number = position & ~kHeld;
    if (number > newest_submitted_ && !isLost(number)) {
      held_changed_.wait_for(lock, std::chrono::nanoseconds(nanoseconds));
    }
    if (isLost(number)) {
      ticket = newestTicket();
    } else if (number <= newest_submitted_) {
      ticket = *resolve(position);
    } else {
      return false;
    }
  }
  return isCompleted(ticket) || ask(ticket, nanoseconds).state != NXS_CompletionState_Running;
}

void Queue::wait(QueuePosition position, uint64_t timeout, Interrupt interrupt) {
  if (isCompleted(position)) return;
  if (RunningCall::isOf(*this) && isHeld(position)) {
    failWith(NXS_InvalidOperation,
             "This host function waits for work of its own stream that begins only after the "
             "function returns; wait for other streams only.");
  }
  waitInParts("The stream", Deadline(timeout), interrupt,
              [&](uint64_t nanoseconds) { return waitPart(position, nanoseconds); });
}

// ---- Failures ------------------------------------------------------------------

Failure Queue::failureOf(const nxs_completion &completion, const char *what) {
  return device_.plugin()
      .failure(completion.status, completion.error, what)
      .with(placeOf(completion));
}

std::optional<Failure> Queue::outcome(nxs_ticket ticket) {
  while (!isCompleted(ticket)) {
    const nxs_completion completion = ask(ticket, kWaitSlice);
    if (completion.state == NXS_CompletionState_Failed) return failureOf(completion, kFinish);
  }
  return std::nullopt;
}

std::string Queue::ownPlace(const nxs_completion &completion) {
  const WorkLog::Found found = log_.firstAfter(completion.completed);
  if (found.forgotten) {
    return "It was submitted more than " + std::to_string(WorkLog::kSize) +
           " submissions ago, and its name is no longer known; NEXUS_LAYERS=sync names the one "
           "that "
           "failed.";
  }
  return found.name.notComplete();
}

std::string Queue::placeOf(const nxs_completion &completion) {
  if (const auto record = findErrorRecord(completion.error); record && !record->place.empty()) {
    return record->place;
  }
  std::string place = ownPlace(completion);
  if (place.empty() && completion.error != 0) {
    // The first work that is not complete is a wait for a stream that failed with the same error
    // record.
    for (const Ref<Queue> &other : queuesOf(device_.runtime())) {
      const nxs_completion newest = other.get() == this ? completion : other->askNewest();
      if (newest.state == NXS_CompletionState_Failed && newest.error == completion.error) {
        place = other->ownPlace(newest);
      }
      if (!place.empty()) break;
    }
  }
  if (!place.empty()) setErrorPlace(completion.error, place);
  return place;
}

nxs_completion Queue::askNewest() noexcept {
  try {
    return ask(newestTicket(), 0);
  } catch (const Failure &) {
    return {};  // the device is lost
  }
}

// ---- Reporting -----------------------------------------------------------------

void Queue::throwOwnFailure() {
  reported_.store(Reported::Failure, std::memory_order_release);
  throw *failure_;
}

void Queue::throwCompletion(const nxs_completion &completion, const char *what) {
  reported_.store(Reported::Failure, std::memory_order_release);
  throw failureOf(completion, what);
}

void Queue::throwIfFailed(const nxs_completion &completion) {
  if (completion.state == NXS_CompletionState_Failed) {
    throwCompletion(completion, kFinish);
  }
}

void Queue::throwFailure(QueuePosition position) {
  nxs_ticket ticket = position;
  if ((position & kHeld) != 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::optional<nxs_ticket> resolved = resolve(position);
    if (!resolved) return;
    ticket = *resolved;
  }
  if (isCompleted(ticket)) return;
  throwIfFailed(ask(ticket, 0));
}

void Queue::throwIfFailed() {
  const nxs_completion completion = ask(kStreamItself, 0);
  if (completion.state == NXS_CompletionState_Failed) {
    throwCompletion(completion, kTakeMore);
  }
}

void Queue::explainRefusal(bool report) {
  nxs_completion completion{};
  try {
    completion = ask(kStreamItself, 0);
  } catch (const Failure &) {
    // The caller gets the refusal itself, which is more specific than the failure of this query.
    if (report) reported_.store(Reported::Failure, std::memory_order_release);
    return;
  }
  const bool failed = completion.state == NXS_CompletionState_Failed;
  if (failed && !allSubmittedComplete(completion)) {
    if (report) throwCompletion(completion, kTakeMore);
    throw failureOf(completion, kTakeMore);
  }
  if (report && failed) {
    reported_.store(Reported::Failure, std::memory_order_release);
  } else if (report && completion.state == NXS_CompletionState_Running) {
    Reported nothing = Reported::Nothing;
    reported_.compare_exchange_strong(nothing, Reported::Refusal, std::memory_order_acq_rel);
  }
}

bool Queue::allSubmittedComplete(const nxs_completion &completion) const noexcept {
  return completion.completed >= newestTicket();
}

// A refusal was reported while earlier work ran, when the plug-in could not say yet whether the
// stream had failed. Asks again.
bool Queue::refusalWasFailure() {
  nxs_completion completion{};
  try {
    completion = ask(kStreamItself, 0);
  } catch (const Failure &) {
    return true;  // treat a lost device as reported
  }
  if (completion.state == NXS_CompletionState_Failed && allSubmittedComplete(completion)) {
    reported_.store(Reported::Failure, std::memory_order_release);
    return true;
  }
  if (completion.state == NXS_CompletionState_Completed) {
    Reported refusal = Reported::Refusal;
    reported_.compare_exchange_strong(refusal, Reported::Nothing, std::memory_order_acq_rel);
  }
  return false;
}

}  // namespace nexus::core
