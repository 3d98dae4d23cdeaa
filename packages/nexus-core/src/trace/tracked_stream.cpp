// SPDX-License-Identifier: Apache-2.0
#include "trace/tracked_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "layers/calls_text.hpp"

namespace nexus::core::trace {
namespace {

using Lock = std::lock_guard<std::mutex>;

constexpr std::size_t kMostWork = 65536;  // watched submissions of a stream

std::string streamName(int64_t number, nxs_id id, int32_t priority) {
  std::string name = "stream " + std::to_string(number) + " (" + layers::idText(id);
  if (priority != 0) name += ", priority " + std::to_string(priority);
  return name + ")";
}

// "12.345".
std::string rateText(uint64_t bytes, Interval when) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f",
                static_cast<double>(bytes) / static_cast<double>(when.end - when.begin));
  return text;
}

nxs_completion completionOf(nxs_completion_state state) noexcept {
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  completion.state = state;
  return completion;
}

bool hasState(const std::optional<nxs_completion> &answer, nxs_completion_state state) noexcept {
  return answer && answer->state == state;
}

std::string causeOf(const nxs_completion &completion) {
  const auto record = findErrorRecord(completion.error);
  return record ? record->text : std::string();
}

}  // namespace

TrackedStream::TrackedStream(TrackedDevice &device, nxs_id id, int32_t priority, Output &output)
    : device_(device),
      id_(id),
      track_{device.process(), device.nextStream()},
      name_(streamName(track_.thread, id, priority)),
      output_(output) {
  EventText text;
  text.threadName(track_, name_);
  output.add(text);
}

// ---- Submissions ------------------------------------------------------------------

nxs_id TrackedStream::signal() noexcept {
  const nxs_id event = device_.clock().take();
  nxs_ticket ticket = 0;
  if (event != 0 && device_.functions().SignalEvent(event, id_, &ticket) != NXS_Success) {
    device_.clock().give(event);
    return 0;
  }
  return event;
}

nxs_id TrackedStream::signalBefore() noexcept {
  return device_.clock().base() ? signal() : 0;
}

void TrackedStream::forget(nxs_id begin) noexcept {
  if (begin != 0) device_.clock().give(begin);
}

bool TrackedStream::add(Work work, nxs_id begin) noexcept {
  try {
    if (isFull()) {
      forget(begin);
      return false;
    }
    if (begin != 0) {
      work.begin = begin;
      work.end = work.text->takes_time ? signal() : begin;
      work.base = device_.clock().base();
      if (work.end == 0) {
        forget(std::exchange(work.begin, 0));
      }
    }
    device_.note(work.submitted, 1, 0);
    const Lock lock(mutex_);
    // Another thread may have submitted at the same time.
    const auto after = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                    [&](const Work &other) { return other.ticket < work.ticket; });
    observed_ += work.end == 0 ? 1 : 0;
    waiting_.insert(after.base(), std::move(work));
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

bool TrackedStream::isFull() {
  const Lock lock(mutex_);
  return waiting_.size() >= kMostWork;
}

void TrackedStream::writeSubmission(EventText &text, const Work &work) const {
  text.asyncBegin(track_.process, "queued", work.number, name_ + ": queued", work.submitted,
                  Details()
                      .add("work", work.text->name)
                      .add("kind", work.text->category)
                      .add("ticket", work.ticket));
}

void TrackedStream::noteDone(nxs_ticket completed, int64_t time) noexcept {
  const Lock lock(mutex_);
  if (observed_ == 0) return;
  for (Work &work : waiting_) {
    if (work.ticket > completed) return;
    if (work.end == 0 && !work.seen_done) work.seen_done = time;
  }
}

void TrackedStream::prepareRelease() noexcept {
  signalBeforeRelease();
  const Lock lock(asking_);
  releasing_ = true;
}

void TrackedStream::signalBeforeRelease() noexcept {
  bool observed = false;
  if (!isWaiting(observed) || !observed) return;
  nxs_id event = 0;
  nxs_ticket ticket = 0;
  const nxs_functions &functions = device_.functions();
  if (functions.CreateEvent(device_.id(), 0, &event) != NXS_Success) return;
  if (functions.SignalEvent(event, id_, &ticket) == NXS_Success) {
    release_event_.store(event);
  } else {
    functions.ReleaseEvent(event);
  }
}

// ---- Watching ---------------------------------------------------------------------

std::optional<Work> TrackedStream::oldest() {
  const Lock lock(mutex_);
  return waiting_.empty() ? std::nullopt : std::optional(waiting_.front());
}

void TrackedStream::remove(nxs_ticket ticket) {
  const Lock lock(mutex_);
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Work &work) { return work.ticket == ticket; });
  if (found == waiting_.end()) return;
  observed_ -= found->end == 0 ? 1 : 0;
  waiting_.erase(found);
}

bool TrackedStream::isWaiting(bool &out_observed) {
  const Lock lock(mutex_);
  out_observed = observed_ != 0;
  return !waiting_.empty();
}

bool TrackedStream::isFinished() {
  bool observed = false;
  if (!released_.load() || isWaiting(observed)) return false;
  if (const nxs_id event = release_event_.exchange(0); event != 0) {
    device_.functions().ReleaseEvent(event);
  }
  return true;
}

TrackedStream::Answer TrackedStream::askEvent(nxs_id event) const noexcept {
  nxs_completion completion = completionOf(NXS_CompletionState_Running);
  if (event == 0 || device_.functions().QueryEvent(event, &completion) != NXS_Success) return {};
  return completion;
}

TrackedStream::Answer TrackedStream::ask(const Work &work) const noexcept {
  // The event outlives the stream's id.
  if (const Answer answer = askEvent(work.end)) return answer;
  {
    const Lock lock(asking_);
    nxs_completion completion = completionOf(NXS_CompletionState_Running);
    if (!releasing_ &&
        device_.functions().QueryStream(id_, work.ticket, &completion) == NXS_Success) {
      return completion;
    }
  }
  return askEvent(release_event_.load());
}

bool TrackedStream::writeNextEnded() {
  const std::optional<Work> work = oldest();
  if (!work) return false;
  const Answer answer = work->seen_done ? completionOf(NXS_CompletionState_Completed) : ask(*work);
  if (hasState(answer, NXS_CompletionState_Running)) return false;
  if (hasState(answer, NXS_CompletionState_Completed) && work->end == 0) {
    noteDone(answer->completed, now());
  }
  remove(work->ticket);
  write(*work, answer);
  if (work->begin != 0) device_.clock().give(work->begin);
  if (work->end != work->begin) device_.clock().give(work->end);
  return true;
}

void TrackedStream::abandon() {
  while (const std::optional<Work> work = oldest()) {
    remove(work->ticket);
    write(*work, completionOf(NXS_CompletionState_Running));
  }
}

// ---- Writing ----------------------------------------------------------------------

// Adjusts the times so that work of a stream does not overlap, however imprecise the clocks.
Interval TrackedStream::timesOf(const Work &work) const {
  std::optional<int64_t> begin;
  std::optional<int64_t> end = work.seen_done;
  if (work.base) {
    begin = work.base->timeOf(work.begin).value_or(now());  // it has not begun
    end = work.base->timeOf(work.end);
  }
  Interval when{};
  when.begin = std::max({begin.value_or(0), work.submitted, last_end_});
  when.end = std::max(std::min(end.value_or(now()), now()), when.begin + 1);
  if (!work.text->takes_time) when.end = when.begin + 1;
  return when;
}

void TrackedStream::write(const Work &work, const Answer &answer) {
  const Interval when = timesOf(work);
  last_end_ = when.end;
  Details details;
  details.add("state", stateName(answer))
      .add("times", work.base ? "device" : "host")
      .add("ticket", work.ticket)
      .add(work.text->details);
  const bool completed = hasState(answer, NXS_CompletionState_Completed);
  if (work.text->copied != 0 && completed) {
    details.add("copied", work.text->copied).add("GB/s", rateText(work.text->copied, when));
  }
  EventText text;
  text.asyncEnd(track_.process, "queued", work.number, name_ + ": queued", when.begin);
  text.slice(track_, work.text->category, work.text->name, when, details);
  text.flowEnd(track_, work.number, when.begin);
  const bool failed = hasState(answer, NXS_CompletionState_Failed);
  if (failed && !failed_) writeFailure(text, when.end, *answer);
  failed_ = failed_ || failed;
  output_.add(text);
  device_.note(when.end, -1, completed ? work.text->copied : 0);
}

std::string_view TrackedStream::stateName(const Answer &answer) const noexcept {
  if (!answer) return "not known";
  switch (answer->state) {
    case NXS_CompletionState_Running:
      return "not known to be finished at the end of the trace";
    case NXS_CompletionState_Failed:
      return failed_ ? "not run, since the stream had failed" : "failed";
    default:
      return "completed";
  }
}

void TrackedStream::writeFailure(EventText &text, int64_t time, const nxs_completion &completion) {
  const std::string status = statusName(completion.status);
  text.instant(track_, "error", status, time,
               Details().add("status", status).add("cause", causeOf(completion)));
}

}  // namespace nexus::core::trace
