// SPDX-License-Identifier: Apache-2.0 Schedules of backends whose streams are queues. A run waits
// for the schedule's previous run, in whichever stream that is, so all runs are done when the
// newest one is.
#ifndef NEXUS_PLUGIN_QUEUED_SCHEDULE_HPP_
#define NEXUS_PLUGIN_QUEUED_SCHEDULE_HPP_

#include <nexus-plugin/recording/schedule.hpp>
#include <nexus-plugin/stream/completion.hpp>

#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// R::Stream has done(ticket), which may ask the driver, and completion(). All functions are called
// with the schedule locked.
template <class R>
class QueuedSchedule : public RecordedSchedule<R> {
 public:
  using Stream = typename R::Stream;
  using RecordedSchedule<R>::RecordedSchedule;

  bool in_flight() const { return stream_ && !stream_->done(ticket_); }

  const char *status() const {
    if (!stream_) return nullptr;
    if (!stream_->done(ticket_)) return "Running";
    return stream_->completion().completed() >= ticket_ ? "Complete" : "Error";
  }

 protected:
  // The stream of an id. Costs no atomic read-modify-write if it is the stream of the newest run.
  class StreamOf {
   public:
    StreamOf(const QueuedSchedule &schedule, nxs_id id)
        : newest_(schedule.stream_),
          other_(R::streams.names(id, newest_) ? Ref<Stream>() : R::streams.pin(id)) {
      if (other_) detail::require_same_device("stream", *other_, schedule);
    }
    const Ref<Stream> &operator*() const noexcept { return other_ ? other_ : newest_; }
    Stream *operator->() const noexcept { return (**this).get(); }

   private:
    const Ref<Stream> &newest_;
    const Ref<Stream> other_;
  };

  // Returns whether the newest run is in another stream.
  bool is_elsewhere(const Stream &stream) const noexcept {
    return stream_ && stream_.get() != &stream;
  }

  // Calls each(stream, ticket) for each locked schedule whose newest run is in another stream and
  // not done.
  template <class Each>
  static void for_each_run_elsewhere(const RunLock<R> &lock, const Stream &stream, Each &&each) {
    lock.for_each([&](const QueuedSchedule &schedule) {
      if (schedule.is_elsewhere(stream) && schedule.in_flight()) {
        each(schedule.stream_, schedule.ticket_);
      }
    });
  }

  // Notes a run of the locked schedules: submit() submits it to the stream and returns its ticket.
  // If submit() throws after it has taken a ticket, notes that one, so that the next run waits for
  // the part that was submitted.
  template <class Submit>
  static nxs_ticket submit_run(const RunLock<R> &lock, const Ref<Stream> &stream, Submit &&submit) {
    const auto note = [&](nxs_ticket ticket) {
      lock.for_each([&](QueuedSchedule &schedule) {
        if (!(schedule.stream_ == stream)) schedule.stream_ = stream;
        schedule.ticket_ = ticket;
      });
      return ticket;
    };
    const nxs_ticket before = stream->completion().last();
    try {
      return note(std::forward<Submit>(submit)());
    } catch (...) {
      if (const nxs_ticket newest = stream->completion().last(); newest != before) note(newest);
      throw;
    }
  }

 private:
  Ref<Stream> stream_;  // of the newest run; empty before the first
  nxs_ticket ticket_ = 0;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_QUEUED_SCHEDULE_HPP_
