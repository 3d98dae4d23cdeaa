// SPDX-License-Identifier: Apache-2.0
// The tickets of a stream that is a queue of a driver's, and the events that tell what became of
// them. A backend describes its queues by one struct, of which each stream has one:
//
//   struct Queue {
//     using Stream = ...;  // tickets() is a Tickets<Queue>; lives in a handle table
//     using Event = ...;   // a share in an event of the driver's, or empty
//     using Status = ...;  // what the driver answers about an event
//     static constexpr Status kDone = ...;
//     static bool is_running(Status status) noexcept;  // neither done nor running: the error
//     static constexpr std::chrono::nanoseconds kSpin = ...;  // a wait asks so long without pauses
//
//     const Failure *lost() const noexcept;  // why the device is lost; NULL while it is not
//     FailurePtr lost_cause() const;
//     Use use() const;                       // while it lives, this thread may call the driver
//     Event record();                        // behind all that was enqueued; throws
//     Status query(const Event &event) noexcept;
//     Status query_all() noexcept;           // of all that was enqueued
//     FailurePtr failure_of(Status status) noexcept;
//     void waited() noexcept;                // a wait of the host's has ended
//     void call_later(Event event, std::function<void()> call) noexcept;  // when it is done
//
//     // Only where the driver calls when an event is done: it calls wake->wake(), also before this
//     // returns. False where it won't.
//     bool wake_when_done(Event event, const WakePtr &wake) noexcept;
//   };
//
// A mark is an event behind the work of a ticket. Where each submission has one for nothing, each
// ticket gets a mark. Where an event costs more, most tickets get none: one is recorded when
// somebody asks, and then tells of all that was submitted until then. Work that others wait for
// gets its own at once.
#ifndef NEXUS_PLUGIN_TICKETS_HPP_
#define NEXUS_PLUGIN_TICKETS_HPP_

#include <nexus-plugin/completion.hpp>
#include <nexus-plugin/condition.hpp>
#include <nexus-plugin/shared.hpp>
#include <nexus-plugin/wait.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// Wakes those who wait for a stream. A driver may do so on a thread of its own, where nothing of
// the stream may be touched and no lock of a stream's be taken.
class Wake {
 public:
  // How often they were woken.
  uint64_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
  void wake() noexcept {
    count_.fetch_add(1, std::memory_order_seq_cst);
    changed_.notify();
  }
  // Sleeps until the count is no longer seen, or timeout nanoseconds have passed.
  void sleep(uint64_t seen, uint64_t timeout) {
    changed_.wait(timeout, [&] { return count() != seen; });
  }

 private:
  std::atomic<uint64_t> count_{0};
  WaitPoint changed_;
};
using WakePtr = Shared<Wake>;

// Returns whether work still runs; ask: asks the driver. A question that is refused tells nothing,
// and is asked again, once.
template <class Queue, class Ask>
bool still_runs(Ask &&ask) noexcept {
  auto answer = ask();
  if (answer != Queue::kDone && !Queue::is_running(answer)) answer = ask();
  return Queue::is_running(answer);
}

template <class Queue>
class Tickets {
  using Clock = std::chrono::steady_clock;

 public:
  using Event = typename Queue::Event;
  using ConditionPtr = Shared<Condition<typename Queue::Stream>>;

  explicit Tickets(Queue queue) : queue_(std::move(queue)) {}
  // The device may still use what the conditions of unfinished work own.
  ~Tickets() {
    for (; conditions_ != 0 && first_ != next_; ++first_) {
      Mark &mark = at(first_);
      if (!mark.condition || !mark.event) continue;
      if (failing_) mark.condition->abandon();
      queue_.call_later(std::move(mark.event),
                        [condition = std::move(mark.condition)] { condition->complete(); });
    }
  }
  Tickets(const Tickets &) = delete;
  Tickets &operator=(const Tickets &) = delete;

  // ---- For one who submits, and holds mutex() from prepare() to add() ----

  // Makes enqueuing and add() one step.
  std::mutex &mutex() noexcept { return mutex_; }

  // Does all that can fail. Throws the cause where the stream has failed.
  void prepare() {
    if (next_ - first_ == capacity_ || cause_ || refused()) [[unlikely]]
      prepare_slowly();
  }

  // The same for work that may wait, for another stream or a host call: what was submitted before
  // it gets a mark, so that it is told done meanwhile.
  void prepare_to_wait() {
    prepare();
    if (marked_ >= completion_.last()) return;
    (void)mark_newest();
    prepare();
  }

  // The next ticket, of what was enqueued since the one before.
  nxs_ticket add() noexcept {
    const nxs_ticket ticket = completion_.issue_checked();
    if (ticket - marked_ >= kUnmarked) [[unlikely]]
      mark_newest();
    return ticket;
  }

  // The same with a mark of its own. event: behind it; empty where nothing was enqueued for it, so
  // that it is done when those before are. condition: may be empty.
  nxs_ticket add(Event event, ConditionPtr condition) noexcept {
    const nxs_ticket ticket = completion_.issue_checked();
    put({ticket, std::move(event), std::move(condition)});
    return ticket;
  }

  // Part of a submission was enqueued and the rest was refused. What was begun gets a ticket that
  // nobody is given: the stream runs until that is done too, and fails then, unless the device is
  // lost.
  void fail(FailurePtr cause) noexcept {
    if (queue_.lost() != nullptr) return fail_when_ended(queue_.lost_cause());
    if (cause_) return;
    cause_ = std::move(cause);
    cut_short_ = completion_.issue_checked();
    (void)mark_newest();
  }

  // Returns whether all submitted work is done. Asks the driver.
  bool idle() noexcept {
    (void)look(completion_.last());
    return completion_.idle();
  }

  // The event of the newest mark, which all work so far is behind where each ticket has one; empty
  // where that is known done.
  Event newest_event() const noexcept {
    const Mark *mark = last_event(next_);
    return mark == nullptr ? Event() : mark->event;
  }

  // ---- For anybody ----

  // As nxsQueryStream and nxsWaitStream.
  void query(nxs_ticket ticket, nxs_completion *out_completion) {
    completion_.query(ticket, out_completion);
    // The stream is asked with the lock, under which it fails as soon as its last ticket is
    // complete.
    if (out_completion->state != NXS_CompletionState_Running && ticket != 0) return;
    poll(ticket == 0 ? completion_.last() : ticket);
    completion_.query(ticket, out_completion);
  }

  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
    wait_until(ticket, timeout, out_completion);
    if (out_completion->state != NXS_CompletionState_Running) queue_.waited();
  }

  // Asks the driver what is done. ticket: whose fate is of interest.
  void poll(nxs_ticket ticket) noexcept {
    while (true) {
      ConditionPtr unclear;
      {
        const auto lock = lock_to_ask();
        if (!lock) return;
        unclear = look(ticket);
      }
      // Asked without the lock, since streams may wait for each other's earlier work.
      if (!unclear || !unclear->awaited() || unclear->known()) return;
      auto &other = unclear->awaited()->tickets();
      other.poll(other.completion().last());
      if (!unclear->known()) return;
    }
  }

  // Returns whether the ticket is completed or failed. Asks the driver if that is not known.
  bool done(nxs_ticket ticket) noexcept {
    if (completion_.done(ticket)) return true;
    poll(ticket);
    return completion_.done(ticket);
  }

  // An event that is done no earlier than the ticket; empty where that is known done.
  Event event_of(nxs_ticket ticket) {
    const std::lock_guard lock(mutex_);
    (void)look(ticket);
    if (completion_.done(ticket)) return {};
    if (ticket <= marked_) {
      const Mark *mark = mark_of(ticket);
      return mark == nullptr ? Event() : mark->event;
    }
    [[maybe_unused]] const auto use = queue_.use();
    return queue_.record();
  }

  // Of a ticket whose work on the device is done: whether it is done on the host too, or the stream
  // fails, and no thread copies for it any more. cause: then why the stream fails; may be NULL.
  // A mark that the driver refused is missing: those that there are count.
  bool settled(nxs_ticket ticket, FailurePtr *cause = nullptr) noexcept {
    poll(ticket);
    const auto lock = lock_to_ask();
    if (!lock) return false;
    const bool taken = first_ == next_ || at(first_).ticket > ticket;
    if (!completion_.done(ticket) && !taken && (!failing_ || copies_up_to(ticket))) return false;
    if (cause != nullptr) *cause = failing_ ? cause_ : completion_.cause();
    return true;
  }

  // Why the stream has failed.
  FailurePtr cause() noexcept {
    poll(completion_.last());
    return completion_.cause();
  }

  const Completion &completion() const noexcept { return completion_; }
  const Queue &queue() const noexcept { return queue_; }
  const WakePtr &wake() const noexcept { return wake_; }

 private:
  struct Mark {
    nxs_ticket ticket = 0;
    Event event{};  // empty: done when those before are
    ConditionPtr condition{};
    bool watched = false;  // the driver wakes those who wait when the event is done
  };

  static constexpr std::size_t kFirstCapacity = 64;
  // The most submissions without a mark, so that completion is never noticed much later.
  static constexpr nxs_ticket kUnmarked = 64;
  static constexpr std::chrono::milliseconds kMostToAsk{1};
  // A driver that does not wake is asked again: after a pause that grows with the wait, so that a
  // wake comes late by a small part of it. Nanoseconds.
  static constexpr uint64_t kShortestPause = 20'000, kLongestPause = 500'000;
  static constexpr uint64_t kPauseShare = 50;
  // One that does may forget to, or somebody else's work may be waited for.
  static constexpr uint64_t kPauseWhereWoken = 10'000'000;

  Mark &at(std::size_t place) const noexcept { return marks_[place & (capacity_ - 1)]; }

  bool refused() const noexcept {
    return queue_.lost() != nullptr || completion_.failure() != nullptr;
  }

  // Out of line, as mark_newest(): prepare() and add() are in each submission.
  [[gnu::noinline]] void prepare_slowly() {
    if (queue_.lost() != nullptr) fail_when_ended(queue_.lost_cause());
    completion_.refuse_after_failure();
    if (cause_) throw Failed(cause_);
    [[maybe_unused]] const auto use = queue_.use();
    make_room();
  }

  // Drops marks that are done; where few are, doubles the ring. Never blocks.
  void make_room() {
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
  void put(Mark mark) noexcept {
    marked_ = mark.ticket;
    if (mark.condition) ++conditions_;
    at(next_++) = std::move(mark);
  }

  // A mark behind all that was submitted. False where there can be none now: the next who asks
  // tries again.
  [[gnu::noinline]] bool mark_newest() noexcept {
    const nxs_ticket newest = completion_.last();
    if (marked_ >= newest) return true;
    try {
      [[maybe_unused]] const auto use = queue_.use();
      if (next_ - first_ == capacity_) make_room();
      put({newest, queue_.record()});
      return true;
    } catch (const std::exception &) {
      if (queue_.lost() != nullptr) fail_when_ended(queue_.lost_cause());
      return false;
    }
  }

  // The newest mark before a place that has an event; NULL where there is none.
  Mark *last_event(std::size_t place) const noexcept {
    while (place != first_) {
      if (Mark &mark = at(--place); mark.event) return &mark;
    }
    return nullptr;
  }

  // The mark that tells of a ticket up to marked_; NULL where that is known done on the device.
  Mark *mark_of(nxs_ticket ticket) const noexcept {
    std::size_t behind = next_;
    while (behind != first_ && at(behind - 1).ticket >= ticket) --behind;
    return behind == next_ ? nullptr : last_event(behind + 1);
  }

  void end_cut_short() noexcept {
    completion_.complete(cut_short_ - 1);
    fail_when_ended(cause_);
  }

  // The driver may still copy from and to the memory of what comes behind the failure, unless the
  // device is lost, and so may threads of ours.
  void fail_when_ended(FailurePtr cause) noexcept {
    if (!failing_) {
      failing_ = true;
      cause_ = std::move(cause);
      record_end();
    }
    if (copies_up_to(completion_.last())) return;
    if (queue_.lost() == nullptr && still_runs<Queue>([&] { return ask_end(); })) return;
    completion_.fail(cause_);
    wake_->wake();
  }

  // Behind all that was enqueued until the failure. What comes later is not asked of: others may
  // have work in the queue that never pauses.
  void record_end() noexcept {
    if (queue_.lost() != nullptr) return;
    try {
      end_ = queue_.record();
    } catch (const std::exception &) {  // asked of all instead
    }
  }

  typename Queue::Status ask_end() noexcept {
    if (!end_) record_end();
    return end_ ? queue_.query(end_) : queue_.query_all();
  }

  void take_first() noexcept {
    Mark taken = std::move(at(first_));
    at(first_++) = Mark();
    if (taken.condition) {
      taken.condition->complete();
      --conditions_;
    }
    completion_.complete(taken.ticket);
  }

  // Returns whether the mark's condition has failed; the stream fails then.
  bool fails_by(const Mark &mark) noexcept {
    FailurePtr failure = mark.condition ? mark.condition->failure() : FailurePtr();
    if (!failure) return false;
    fail_when_ended(std::move(failure));
    return true;
  }

  // Takes out the marks that are done. Returns the condition that keeps the first one, where only
  // the stream that it waits for can tell. With the mutex held.
  ConditionPtr reap() noexcept {
    while (first_ != next_ && !failing_) {
      const Mark &mark = at(first_);
      if (fails_by(mark)) return {};
      const auto status = mark.event ? queue_.query(mark.event) : Queue::kDone;
      if (Queue::is_running(status)) return {};  // streams may wait for each other in turn
      const bool unclear = mark.condition && !mark.condition->known();
      if (status != Queue::kDone) {
        FailurePtr failure = queue_.failure_of(status);
        // Where the stream that is waited for has failed, its cause is that of both.
        if (unclear && mark.condition->awaited() && queue_.lost() == nullptr) return mark.condition;
        fail_when_ended(std::move(failure));
        return {};
      }
      if (unclear) return mark.condition;
      if (fails_by(mark)) return {};  // it may have become known since it was asked above
      if (mark.ticket == cut_short_) {
        end_cut_short();
        return {};
      }
      take_first();
    }
    return {};
  }

  // The queue is empty: then all tickets are done, those without a mark too.
  bool all_is_done() noexcept {
    if (conditions_ != 0) return false;
    const nxs_ticket newest = completion_.last();
    const auto status = queue_.query_all();
    if (Queue::is_running(status)) return false;
    if (status != Queue::kDone) {
      FailurePtr failure = queue_.failure_of(status);
      fail_when_ended(cause_ && queue_.lost() == nullptr ? cause_ : std::move(failure));
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

  // As reap(), where the ticket is not known done. With the mutex held.
  ConditionPtr look(nxs_ticket ticket) noexcept {
    if (queue_.lost() != nullptr) fail_when_ended(queue_.lost_cause());
    if (completion_.done(ticket)) return {};
    try {
      [[maybe_unused]] const auto use = queue_.use();
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
      if (queue_.lost() != nullptr) fail_when_ended(queue_.lost_cause());
      return {};
    }
  }

  // Empty where somebody submits for long: the driver may let one wait, as where its queue is full,
  // and those who ask wait for nobody's work. What they know stays.
  std::unique_lock<std::mutex> lock_to_ask() noexcept {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) return lock;
    const auto end = Clock::now() + kMostToAsk;
    while (!lock.try_lock() && Clock::now() < end) std::this_thread::yield();
    return lock;
  }

  bool copies_up_to(nxs_ticket ticket) noexcept {
    for (std::size_t place = first_; place != next_ && at(place).ticket <= ticket; ++place) {
      const Mark &mark = at(place);
      if (mark.condition && mark.condition->copies()) return true;
    }
    return false;
  }

  void wait_until(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
    query(ticket, out_completion);
    if (out_completion->state != NXS_CompletionState_Running || timeout == 0) return;
    if (ticket == 0) ticket = completion_.last();
    const auto begun = Clock::now();
    const auto end = begun + std::chrono::nanoseconds(std::min(timeout, WaitPoint::kLongest));
    for (bool is_done = spin(ticket, std::min<Clock::time_point>(end, begun + Queue::kSpin));
         !is_done;) {
      const uint64_t seen = wake_->count();
      const bool woken = watch(ticket);
      is_done = done(ticket);
      const auto now = Clock::now();
      if (is_done || now >= end) break;
      const auto left = static_cast<uint64_t>(std::chrono::nanoseconds(end - now).count());
      const auto waited = static_cast<uint64_t>(std::chrono::nanoseconds(now - begun).count());
      const uint64_t pause = woken
                                 ? kPauseWhereWoken
                                 : std::clamp(waited / kPauseShare, kShortestPause, kLongestPause);
      wake_->sleep(seen, std::min(left, pause));
      is_done = done(ticket);
    }
    completion_.query(ticket, out_completion);
  }

  bool spin(nxs_ticket ticket, Clock::time_point end) noexcept {
    while (Clock::now() < end) {
      if (done(ticket)) return true;
      std::this_thread::yield();
    }
    return false;
  }

  // Lets the driver wake those who wait when the ticket is done. False where it doesn't.
  bool watch([[maybe_unused]] nxs_ticket ticket) noexcept {
    if constexpr (requires(Event event) { queue_.wake_when_done(event, wake_); }) {
      Event event;
      {
        const auto lock = lock_to_ask();
        Mark *mark = lock && !failing_ ? mark_of(ticket) : nullptr;
        if (mark == nullptr) return false;
        if (mark->watched) return true;
        mark->watched = true;
        event = mark->event;
      }
      return queue_.wake_when_done(std::move(event), wake_);
    } else {
      return false;
    }
  }

  Queue queue_;
  Completion completion_;
  const WakePtr wake_ = WakePtr::make();

  std::mutex mutex_;  // for the rest
  std::unique_ptr<Mark[]> marks_;
  std::size_t capacity_ = 0;          // a power of two
  std::size_t first_ = 0, next_ = 0;  // places, which only grow
  std::size_t conditions_ = 0;        // marks that have one
  nxs_ticket marked_ = 0;             // the newest ticket that a mark tells of
  FailurePtr cause_;                  // why nothing more is taken
  nxs_ticket cut_short_ = 0;          // of what a submission had begun that was refused then
  bool failing_ = false;              // nothing more completes: the failure is told at the end
  Event end_{};                       // of what was submitted; may be empty
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_TICKETS_HPP_
