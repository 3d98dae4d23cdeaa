// SPDX-License-Identifier: Apache-2.0
//
// A stream of a traced process and the work in it whose end is not known yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "trace/tracked_device.hpp"
#include "trace/work_text.hpp"

namespace nexus::core::trace {

/// Work that was submitted.
struct Work {
  nxs_ticket ticket = 0;
  uint64_t number = 0;  // of its events in the trace
  int64_t submitted = 0;
  WorkTextPtr text;
  nxs_id begin = 0;  // events with timing around it, the same for what takes no time; 0: none
  nxs_id end = 0;
  std::shared_ptr<const TimeBase> base;
  std::optional<int64_t> heard;  // when the program heard that it was done
};

/// Any thread, but for what is said of the one that watches. Calls the plug-in under no lock but
/// asking_.
class TrackedStream {
 public:
  TrackedStream(TrackedDevice &device, nxs_id id, int32_t priority, Output &output);

  TrackedDevice &device() noexcept { return device_; }

  /// Before a submission: signals an event with timing; 0 where there is none.
  nxs_id signalBefore() noexcept;
  /// The submission failed, so that the event is free.
  void forget(nxs_id begin) noexcept;
  /// After a submission, whose ticket and text work has: signals another and watches the work.
  /// False where that can't be, since too much is watched.
  bool add(Work work, nxs_id begin) noexcept;

  /// The program heard that all work up to a ticket was done.
  void heard(nxs_ticket completed, int64_t time) noexcept;
  /// The program is about to release the stream, and has done so.
  void prepareRelease() noexcept;
  void released() noexcept { released_.store(true); }

  /// On the one thread that watches: whether the oldest work has ended, which is then told.
  bool settleNext();
  /// The same: tells that all that is left has not ended.
  void abandon();
  /// Nothing is left, and nothing will come.
  bool isOver();
  /// Returns whether there is work, and whether it is observed by the host.
  bool isWaiting(bool &out_observed);

  /// Its events: the submission, as text.
  void tellSubmission(EventText &text, const Work &work) const;

 private:
  enum class End { Running, Completed, Failed, Unknown };
  struct Answer {
    End end = End::Unknown;
    nxs_completion completion{};
  };

  TrackedStream(TrackedDevice &device, nxs_id id, int32_t priority, Output &output, int64_t number);

  nxs_id signal() noexcept;
  void signalBeforeRelease() noexcept;
  bool isFull();
  static End endOf(const nxs_completion &completion) noexcept;
  static std::string_view stateName(End end, bool failed_before) noexcept;
  Answer ask(const Work &work) const noexcept;
  Answer askEvent(nxs_id event) const noexcept;
  std::optional<Work> oldest();
  void remove(nxs_ticket ticket);
  Interval timesOf(const Work &work) const;
  void tell(const Work &work, const Answer &answer);
  void tellFailure(EventText &text, int64_t time, const Answer &answer);

  TrackedDevice &device_;
  const nxs_id id_;
  const std::string name_;
  const Track track_;
  Output &output_;
  int64_t last_end_ = 0;  // the watching thread's, as `failed_`
  bool failed_ = false;
  mutable std::mutex asking_;  // held while the stream is asked, and to note that it is released
  bool releasing_ = false;     // under asking_: its id may end at any time
  std::atomic<bool> released_{false};
  std::atomic<nxs_id> release_event_{0};  // signalled behind all its work
  std::mutex mutex_;
  std::deque<Work> waiting_;  // under mutex_, in the order of their tickets
  std::size_t observed_ = 0;  // under mutex_: how many of them have no events
};

}  // namespace nexus::core::trace
