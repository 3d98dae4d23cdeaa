// SPDX-License-Identifier: Apache-2.0
// The tickets of a stream that is a queue of the driver. The driver's events tell which are done. A
// backend describes its queues by a struct, and each stream has an object of it:
//
//   struct Queue {
//     using Stream = ...;  // has tickets(), a Tickets<Queue>; lives in a handle table
//     using Event = ...;   // an owner of a driver's event, or empty
//     using Status = ...;  // the driver's status of an event
//     static constexpr Status kDone = ...;
//     static bool is_running(Status status) noexcept;  // any other status is an error
//     static constexpr std::chrono::nanoseconds kSpin = ...;  // how long waits poll without pauses
//
//     const Failure *lost() const noexcept;  // why the device is lost, or NULL
//     FailurePtr lost_cause() const;         // the same
//     Use use() const;                       // while it lives, this thread may call the driver
//     Event record();                        // records an event after all enqueued work; throws
//     Status query(const Event &event) noexcept;
//     Status query_all() noexcept;           // the status of all enqueued work
//     FailurePtr failure_of(Status status) noexcept;
//     void waited() noexcept;                // called when a wait of the host has found work done
//     void call_later(Event event, std::function<void()> call) noexcept;  // when event is done
//
//     // Only if the driver can call when an event is done: lets it call wake->wake(), maybe before
//     // this returns. Returns false if it won't.
//     bool wake_when_done(Event event, const WakePtr &wake) noexcept;
//   };
//
// A mark is an event after the work of a ticket. If events cost nothing, each ticket gets a mark.
// If they cost more, most tickets get none: a mark is recorded when somebody asks, and covers all
// work submitted until then. Work that others wait for gets its own mark at once.
#ifndef NEXUS_PLUGIN_TICKETS_HPP_
#define NEXUS_PLUGIN_TICKETS_HPP_

#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/base/wait.hpp>
#include <nexus-plugin/stream/completion.hpp>
#include <nexus-plugin/stream/condition.hpp>

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

// Wakes threads that wait for a stream. A driver may call wake() on its own thread, which must not
// use the stream or take a stream's lock.
class Wake {
 public:
  // How often wake() was called.
  uint64_t count() const noexcept { return count_.load(std::memory_order_seq_cst); }
  void wake() noexcept {
    count_.fetch_add(1, std::memory_order_seq_cst);
    changed_.notify();
  }
  // Sleeps until count() differs from seen, or timeout nanoseconds have passed.
  void sleep(uint64_t seen, uint64_t timeout) {
    changed_.wait(timeout, [&] { return count() != seen; });
  }

 private:
  std::atomic<uint64_t> count_{0};
  WaitPoint changed_;
};
using WakePtr = Shared<Wake>;

// Returns whether work still runs. ask() queries the driver. If it returns an error, the query
// itself may have failed, so it is repeated once.
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
  // Keeps the objects of unfinished work's conditions alive as long as the device may use them.
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

  // ---- For submissions, which hold mutex() from prepare() to add() ----

  // Makes enqueuing and add() one atomic step.
  std::mutex &mutex() noexcept { return mutex_; }

  // Does everything that can fail. Throws the cause if the stream has failed.
  void prepare() {
    if (next_ - first_ == capacity_ || cause_ || refused()) [[unlikely]]
      prepare_slowly();
  }

  // Does the same for work that may wait for another stream or a host call. Gives earlier work a
  // mark, so that it is known to be done even while that work waits.
  void prepare_to_wait() {
    prepare();
    if (marked_ >= completion_.last()) return;
    (void)mark_newest();
    prepare();
  }

  // Returns the next ticket, for the work that was enqueued since the one before.
  nxs_ticket add() noexcept {
    const nxs_ticket ticket = completion_.issue_checked();
    if (ticket - marked_ >= kUnmarked) [[unlikely]]
      mark_newest();
    return ticket;
  }

  // Does the same, and gives the ticket its own mark. event: recorded after its work; empty if
  // nothing was enqueued, so that the ticket is done when the earlier ones are. condition: may be
  // empty.
  nxs_ticket add(Event event, ConditionPtr condition) noexcept {
    const nxs_ticket ticket = completion_.issue_checked();
    put({ticket, std::move(event), std::move(condition)});
    return ticket;
  }

  // Called if the driver accepted only part of a submission. That part gets a ticket that no caller
  // sees. When that ticket is done the stream fails. If the device is lost, the stream fails with
  // that cause.
  void fail(FailurePtr cause) noexcept {
    if (queue_.lost() != nullptr) return fail_when_ended(queue_.lost_cause());
    if (cause_) return;
    cause_ = std::move(cause);
    cut_short_ = completion_.issue_checked();
    (void)mark_newest();
  }

  // Ends work early, and fails the stream, unless the ticket is done. end() tells the device to end
  // the work; ticket() returns the newest one that end() cuts short, 0 for none. Both may be called
  // without mutex(), which a submission may hold until the work ends, and more than once.
  template <class Ticket, class End>
  void give_up(Ticket &&ticket, const Error &cause, End &&end) {
    std::unique_lock lock = lock_to_ask();
    // Asks before end(), after which a ticket that looks done may have been cut short. Enqueues
    // nothing, since that may wait for the work.
    if (lock && has_ended(ticket())) return;
    held_ = true;  // no other thread completes the ticket
    end();
    if (!lock) lock.lock();
    held_ = false;
    if (completion_.done(ticket())) return;
    end();  // also what was submitted meanwhile
    if (!failing_) fail_when_ended(make_failure(cause));
  }

  // Returns whether all submitted work is done. Asks the driver.
  bool idle() noexcept {
    (void)look(completion_.last());
    return completion_.idle();
  }

  // Returns the event of the newest mark, or an empty one if that is known to be done. If each
  // ticket has a mark, all work so far is done when the event is.
  Event newest_event() const noexcept {
    const Mark *mark = last_event(next_);
    return mark == nullptr ? Event() : mark->event;
  }

  // ---- For any thread ----

  // Implements nxsQueryStream.
  void query(nxs_ticket ticket, nxs_completion *out_completion) {
    completion_.query(ticket, out_completion);
    // Always polls for ticket 0, which also reports a failure after the last ticket: a stream may
    // complete its last ticket and then fail, both under the lock that poll() takes.
    if (out_completion->state != NXS_CompletionState_Running && ticket != 0) return;
    poll(ticket == 0 ? completion_.last() : ticket);
    completion_.query(ticket, out_completion);
  }

  // Implements nxsWaitStream.
  void wait(nxs_ticket ticket, uint64_t timeout, nxs_completion *out_completion) {
    wait_until(ticket, timeout, out_completion);
    if (out_completion->state != NXS_CompletionState_Running) queue_.waited();
  }

  // Asks the driver which work is done. ticket: the one whose state the caller wants.
  void poll(nxs_ticket ticket) noexcept {
    while (true) {
      ConditionPtr unclear;
      {
        const auto lock = lock_to_ask();
        if (!lock) return;
        unclear = look(ticket);
      }
      // Polls the other stream without the lock, since streams may wait for each other's earlier
      // work.
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

  // Returns an event that is done no earlier than the ticket; an empty one if the ticket is known
  // to be done.
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

  // For a ticket whose work on the device is done: returns whether its work on the host is done
  // too, or the stream is failing and no thread copies for it any more. cause: then gets why the
  // stream fails, or empty; may be NULL. If the driver refused to record a mark, only the others
  // count.
  bool settled(nxs_ticket ticket, FailurePtr *cause = nullptr) noexcept {
    poll(ticket);
    const auto lock = lock_to_ask();
    if (!lock) return false;
    const bool taken = first_ == next_ || at(first_).ticket > ticket;
    if (!completion_.done(ticket) && !taken && (!failing_ || copies_up_to(ticket))) return false;
    if (cause != nullptr) *cause = failing_ ? cause_ : completion_.cause();
    return true;
  }

  // Returns why the stream has failed; empty if it has not. Asks the driver.
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
    Event event{};  // empty: done when the earlier marks are
    ConditionPtr condition{};
    bool watched = false;  // the driver wakes waiting threads when the event is done
  };

  static constexpr std::size_t kFirstCapacity = 64;
  // The most submissions in a row without a mark, so that their completion is noticed soon.
  static constexpr nxs_ticket kUnmarked = 64;
  static constexpr std::chrono::milliseconds kMostToAsk{1};
  // Waits poll a driver that does not wake them. The pauses grow with the length of the wait, so a
  // wait overshoots only by a small fraction of it. In nanoseconds.
  static constexpr uint64_t kShortestPause = 20'000, kLongestPause = 500'000;
  static constexpr uint64_t kPauseShare = 50;
  // Waits also poll a driver that wakes them: the wake-up may fail, or the ticket may wait for
  // something other than its event.
  static constexpr uint64_t kPauseWhereWoken = 10'000'000;

  Mark &at(std::size_t place) const noexcept { return marks_[place & (capacity_ - 1)]; }

  bool refused() const noexcept {
    return queue_.lost() != nullptr || completion_.failure() != nullptr;
  }

  // Not inlined, like mark_newest(), since each submission calls prepare() and add().
  [[gnu::noinline]] void prepare_slowly() {
    if (queue_.lost() != nullptr) fail_when_ended(queue_.lost_cause());
    completion_.refuse_after_failure();
    if (cause_) throw Failed(cause_);
    [[maybe_unused]] const auto use = queue_.use();
    make_room();
  }

  // Drops marks that are done; if these are few, doubles the ring. Never blocks.
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

  // prepare() has made room for the mark.
  void put(Mark mark) noexcept {
    marked_ = mark.ticket;
    if (mark.condition) ++conditions_;
    at(next_++) = std::move(mark);
  }

  // Records a mark after all submitted work. Returns false if the driver refuses; the next query
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

  // Returns the newest mark with an event before a place, or NULL.
  Mark *last_event(std::size_t place) const noexcept {
    while (place != first_) {
      if (Mark &mark = at(--place); mark.event) return &mark;
    }
    return nullptr;
  }

  // Returns the mark whose event tells that a ticket, at most marked_, is done; NULL if the ticket
  // is known to be done on the device.
  Mark *mark_of(nxs_ticket ticket) const noexcept {
    std::size_t behind = next_;
    while (behind != first_ && at(behind - 1).ticket >= ticket) --behind;
    return behind == next_ ? nullptr : last_event(behind + 1);
  }

  void end_cut_short() noexcept {
    completion_.complete(cut_short_ - 1);
    fail_when_ended(cause_);
  }

  // Fails the stream once its work has ended. Until then the driver, unless the device is lost, and
  // threads of the plug-in may still copy from and to the memory of later work.
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

  // Records an event after all work enqueued before the failure. Work that others enqueue later
  // does not count, since that may never end.
  void record_end() noexcept {
    if (queue_.lost() != nullptr) return;
    try {
      end_ = queue_.record();
    } catch (const std::exception &) {  // ask_end() queries all work instead
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

  // Returns whether the mark's condition has failed, and fails the stream then.
  bool fails_by(const Mark &mark) noexcept {
    FailurePtr failure = mark.condition ? mark.condition->failure() : FailurePtr();
    if (!failure) return false;
    fail_when_ended(std::move(failure));
    return true;
  }

  // Takes out the marks that are done. If the first one left is done or failed on the device but
  // its condition is not known yet, returns that condition. Called with the mutex held.
  ConditionPtr reap() noexcept {
    while (first_ != next_ && !failing_) {
      const Mark &mark = at(first_);
      if (fails_by(mark)) return {};
      const auto status = mark.event ? queue_.query(mark.event) : Queue::kDone;
      if (Queue::is_running(status)) return {};  // no condition: streams may wait for each other
      const bool unclear = mark.condition && !mark.condition->known();
      if (status != Queue::kDone) {
        FailurePtr failure = queue_.failure_of(status);
        // If the awaited stream has failed, both streams fail with its cause.
        if (unclear && mark.condition->awaited() && queue_.lost() == nullptr) return mark.condition;
        fail_when_ended(std::move(failure));
        return {};
      }
      if (held_) return {};
      if (unclear) return mark.condition;
      if (fails_by(mark)) return {};  // the failure may be newer than the check above
      if (mark.ticket == cut_short_) {
        end_cut_short();
        return {};
      }
      take_first();
    }
    return {};
  }

  // If all enqueued work has ended, completes or fails all tickets, also those without a mark, and
  // returns true.
  bool all_is_done() noexcept {
    if (conditions_ != 0) return false;
    const nxs_ticket newest = completion_.last();
    const auto status = queue_.query_all();
    if (Queue::is_running(status) || held_) return false;
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

  // Returns whether the ticket is done. Called with the mutex held.
  bool has_ended(nxs_ticket ticket) noexcept {
    if (completion_.done(ticket)) return true;
    try {
      [[maybe_unused]] const auto use = queue_.use();
      if (!failing_ && (ticket <= marked_ || !all_is_done())) (void)reap();
    } catch (const std::exception &) {  // it is not known
    }
    return completion_.done(ticket);
  }

  // Does as reap(), unless the ticket is known to be done. Called with the mutex held.
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

  // Returns an empty lock if another thread holds the mutex for long. A submission may hold it
  // while waiting for room in the driver's queue; a query must not wait for that, and uses the
  // known state instead.
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

  // Lets the driver wake waiting threads when the ticket is done. Returns false if it won't.
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
  std::atomic<bool> held_{false};  // no ticket completes; see give_up()

  std::mutex mutex_;  // guards the rest
  std::unique_ptr<Mark[]> marks_;
  std::size_t capacity_ = 0;          // a power of two
  std::size_t first_ = 0, next_ = 0;  // places, which only grow
  std::size_t conditions_ = 0;        // how many marks have one
  nxs_ticket marked_ = 0;             // the newest ticket that a mark covers
  FailurePtr cause_;                  // why new work is refused
  nxs_ticket cut_short_ = 0;          // of a part of a submission; see fail()
  bool failing_ = false;              // nothing more completes; see fail_when_ended()
  Event end_{};                       // see record_end(); may be empty
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_TICKETS_HPP_
