// SPDX-License-Identifier: Apache-2.0
//
// A stream of a traced process, and its work that is not known to have ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "trace/object_texts.hpp"
#include "trace/tracked_device.hpp"

namespace nexus::core::trace {

struct Work {
  nxs_ticket ticket = 0;
  uint64_t number = 0;  // id of its events in the trace
  int64_t submitted = 0;
  WorkTextPtr text;
  nxs_id begin = 0;  // events with timing before and after it; equal if it takes no time; 0: none
  nxs_id end = 0;
  std::shared_ptr<const TimeBase> base;
  std::optional<int64_t> seen_done;  // when the program saw that it was done
};

/// Any thread may use it, except where the watching thread is named. Calls the plug-in under no
/// lock but asking_.
class TrackedStream {
 public:
  TrackedStream(TrackedDevice &device, nxs_id id, int32_t priority, Output &output);

  /// Call before a submission: signals an event with timing; returns 0 if there is none.
  nxs_id signalBefore() noexcept;
  /// Frees the event of a submission that failed.
  void forget(nxs_id begin) noexcept;
  /// Call after a submission: signals another event and watches the work, which has the ticket and
  /// the text. Returns false if too much is watched.
  bool add(Work work, nxs_id begin) noexcept;

  /// Notes that the program has seen all work up to a ticket done.
  void noteDone(nxs_ticket completed, int64_t time) noexcept;
  /// Call before and after the program releases the stream.
  void prepareRelease() noexcept;
  void released() noexcept { released_.store(true); }

  /// For the watching thread: writes the oldest work if it has ended; returns whether it had.
  bool writeNextEnded();
  /// For the watching thread: writes all remaining work as unfinished.
  void abandon();
  /// Returns whether all work has ended and no more can be submitted.
  bool isFinished();
  /// Returns whether there is work, and whether the host times some of it.
  bool isWaiting(bool &out_observed);

  void writeSubmission(EventText &text, const Work &work) const;

 private:
  using Answer = std::optional<nxs_completion>;  // none: the plug-in can't tell

  nxs_id signal() noexcept;
  void signalBeforeRelease() noexcept;
  bool isFull();
  std::string_view stateName(const Answer &answer) const noexcept;
  Answer ask(const Work &work) const noexcept;
  Answer askEvent(nxs_id event) const noexcept;
  std::optional<Work> oldest();
  void remove(nxs_ticket ticket);
  Interval timesOf(const Work &work) const;
  void write(const Work &work, const Answer &answer);
  void writeFailure(EventText &text, int64_t time, const nxs_completion &completion);

  TrackedDevice &device_;
  const nxs_id id_;
  const Track track_;
  const std::string name_;
  Output &output_;
  int64_t last_end_ = 0;  // the watching thread's, like failed_
  bool failed_ = false;
  mutable std::mutex asking_;  // held for queries of the stream, and to set releasing_
  bool releasing_ = false;     // under asking_: the stream's id may become invalid at any time
  std::atomic<bool> released_{false};
  std::atomic<nxs_id> release_event_{0};  // signalled after all its work
  std::mutex mutex_;
  std::deque<Work> waiting_;  // under mutex_, in the order of tickets
  std::size_t observed_ = 0;  // under mutex_: how many of them have no events
};

}  // namespace nexus::core::trace
