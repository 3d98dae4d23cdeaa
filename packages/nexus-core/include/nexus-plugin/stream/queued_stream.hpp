// SPDX-License-Identifier: Apache-2.0
// Streams that are queues of the driver, and binary events, which stand for signals in them.
// Beside the members in tickets.hpp and host_calls.hpp, Queue has
//
//   using Device = ...;  // may be const; lives as long as the process
//   // Lets later work start after a signal of another stream. work: what submit() passes.
//   static void enqueue_wait(... &work, const StreamSignal<Queue> &signal);
//   // Returns the nanoseconds between timed events that are done.
//   static double elapsed(Device &device, const StreamSignal<...> &start,
//                         const StreamSignal<...> &end);
//
// and Stream, which is derived from QueuedStream<Queue>, has
//
//   // Submits the work that enqueue(work) enqueues, with an event, and returns its ticket, which
//   // is done when the condition is too. If enqueue throws before it has enqueued anything,
//   // nothing has changed; else the stream fails. timed: whether the event has a time. Called with
//   // the lock of tickets() held.
//   nxs_ticket submit_locked(enqueue, condition, bool timed);
//
// or has submit(), submit_marked() and signal() itself, as QueuedStream has them.
#ifndef NEXUS_PLUGIN_QUEUED_STREAM_HPP_
#define NEXUS_PLUGIN_QUEUED_STREAM_HPP_

#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/memory/transfer.hpp>
#include <nexus-plugin/stream/host_calls.hpp>
#include <nexus-plugin/stream/tickets.hpp>

#include <mutex>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// A signal in a stream, for which others wait: its ticket and its event.
template <class Queue>
struct StreamSignal {
  Ref<typename Queue::Stream> stream;  // empty: there was none yet
  nxs_ticket ticket = 0;
  // Done no earlier than the work before the ticket; empty if that was known to be done.
  typename Queue::Event event{};
};

// Any thread may submit, query and wait.
template <class Queue>
class QueuedStream {
 public:
  using Device = typename Queue::Device;
  using Stream = typename Queue::Stream;

  // device must outlive this. priority: as the program requested.
  QueuedStream(Device &device, int32_t priority, Queue queue)
      : device_(&device), priority_(priority), tickets_(std::move(queue)) {}

  Device &device() const noexcept { return *device_; }
  int32_t priority() const noexcept { return priority_; }
  Tickets<Queue> &tickets() noexcept { return tickets_; }
  const Tickets<Queue> &tickets() const noexcept { return tickets_; }
  const Completion &completion() const noexcept { return tickets_.completion(); }
  // Returns whether the ticket is completed or failed. Asks the driver if that is not known.
  bool done(nxs_ticket ticket) noexcept { return tickets_.done(ticket); }

  // Submits the work that enqueue(work) enqueues, and returns its ticket.
  template <class Enqueue>
  nxs_ticket submit(Enqueue &&enqueue) {
    return self().submit_marked(enqueue, {});
  }
  // The same, with a ticket that is done when the condition is too.
  template <class Enqueue>
  nxs_ticket submit_marked(Enqueue &&enqueue, const Shared<Condition<Stream>> &condition) {
    const std::lock_guard lock(tickets_.mutex());
    return self().submit_locked(enqueue, condition, false);
  }
  // Submits a signal. timed: whether it has a time.
  StreamSignal<Queue> signal(bool timed) {
    StreamSignal<Queue> made{Ref<Stream>::to(self()), 0, {}};
    const std::lock_guard lock(tickets_.mutex());
    made.ticket = self().submit_locked([](auto &) {}, Shared<Condition<Stream>>(), timed);
    made.event = tickets_.newest_event();
    return made;
  }

  // Returns a ticket that is done when all earlier work is.
  nxs_ticket mark() {
    return self().submit([](auto &) {});
  }

  // Lets later work start after the signal.
  nxs_ticket wait(const StreamSignal<Queue> &signal) {
    if (signal.stream.get() == &self()) return mark();  // in order anyway
    const bool done = !signal.event || signal.stream->done(signal.ticket);
    return self().submit_marked(
        [&](auto &work) {
          if (!done) Queue::enqueue_wait(work, signal);
        },
        Shared<Condition<Stream>>::make(signal.stream, signal.ticket));
  }

 private:
  Stream &self() noexcept { return static_cast<Stream &>(*this); }

  Device *device_;
  const int32_t priority_;
  Tickets<Queue> tickets_;
};

// A binary event, which stands for its newest signal. Any thread may use it.
template <class Queue>
class QueuedEvent {
 public:
  using Device = typename Queue::Device;
  using Stream = typename Queue::Stream;
  using Signal = StreamSignal<Queue>;

  // device must outlive this. timed: whether its signals have times.
  QueuedEvent(Device &device, bool timed) : device_(&device), timed_(timed) {}

  Device &device() const noexcept { return *device_; }
  bool timed() const noexcept { return timed_; }

  // Submits a signal, which becomes the newest one. Returns its ticket. Throws NXS_InvalidDevice if
  // the stream is of another device.
  nxs_ticket signal(Stream &stream) {
    return signal_by(stream, [&] { return stream.signal(timed_); });
  }
  nxs_ticket let_wait(Stream &stream) const { return stream.wait(newest()); }

  // Returns the newest signal. Throws NXS_InvalidOperation if there was none yet.
  Signal newest() const {
    Signal signal = try_newest();
    if (signal.stream) return signal;
    throw Error(NXS_InvalidOperation,
                "the event was never signalled; submit a signal before a wait");
  }
  // Returns the newest signal, or an empty one if there was none yet.
  Signal try_newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  // Returns the newest signal if it has a time and has happened. Else throws the statuses of
  // nxsGetElapsedTime.
  Signal timed_signal() const {
    if (!timed_) {
      throw Error(NXS_ProfilingInfoNotAvailable,
                  "the event has no time; make it with NXS_ExecutionSettings_Timing");
    }
    Signal signal = newest();
    if (signal.stream->done(signal.ticket)) return signal;
    throw Error(NXS_InvalidOperation, "the event is not signalled yet; wait for it first");
  }

  // Implements nxsSynchronizeEvent and, with a timeout of 0, nxsQueryEvent.
  void wait(uint64_t timeout, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    const Signal signal = newest();
    signal.stream->tickets().wait(signal.ticket, timeout, &out);
    out.completed = 0;
  }

 protected:
  // Like signal(), with a signal that submit() submits and returns. Calls submit() under the lock,
  // so that the newest signal is the last one submitted.
  template <class Submit>
  nxs_ticket signal_by(Stream &stream, Submit &&submit) {
    detail::require_same_device("event", *this, stream);
    Signal before;
    const std::lock_guard lock(mutex_);
    before = std::exchange(newest_, std::forward<Submit>(submit)());
    return newest_.ticket;
  }

 private:
  Device *device_;
  const bool timed_;
  mutable std::mutex mutex_;
  Signal newest_;
};

// Implements nxsGetElapsedTime.
template <class Queue>
double elapsed_nanoseconds(const QueuedEvent<Queue> &start, const QueuedEvent<Queue> &end) {
  const StreamSignal<Queue> from = start.timed_signal(), to = end.timed_signal();
  detail::require_same_device("start event", start, end);
  return Queue::elapsed(end.device(), from, to);
}

// Implements nxsGetStreamProperty. own: the properties that the backend adds.
template <class Stream, std::size_t Count>
void get_stream_property(const Ref<Stream> &stream, nxs_property property, nxs_value *out_value,
                         const PropertyTable<Stream, Count> &own) {
  stream->tickets().poll(stream->completion().last());
  joined(common_stream_properties<Stream>, own).get(*stream, property, out_value);
}

}  // namespace nexus_plugin

// Defines nxsQueryStream, nxsWaitStream, nxsGetStreamProperty and nxsEnqueueHostCallback.
//   NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)
#define NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)                             \
  NEXUS_PLUGIN_STREAM(streams, tickets())                                                         \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      GetStreamProperty, (nxs_id stream, nxs_property property, nxs_value * out),                 \
      nexus_plugin::get_stream_property((streams).pin(stream), property, out, stream_properties)) \
  NEXUS_PLUGIN_RESULT(                                                                            \
      EnqueueHostCallback,                                                                        \
      (nxs_id stream, void (*callback)(void *context, nxs_status status), void *context,          \
       nxs_ticket *out),                                                                          \
      nexus_plugin::HostCalls<Queue>::enqueue((streams).pin(stream), callback, context))

// Defines nxsSignalEvent, nxsWaitEvent, nxsQueryEvent, nxsSynchronizeEvent and nxsGetElapsedTime.
//   NEXUS_PLUGIN_QUEUED_EVENT(events, streams)
#define NEXUS_PLUGIN_QUEUED_EVENT(events, streams)                                  \
  NEXUS_PLUGIN_RESULT(SignalEvent, (nxs_id event, nxs_id stream, nxs_ticket * out), \
                      (events).pin(event)->signal(*(streams).pin(stream)))          \
  NEXUS_PLUGIN_RESULT(WaitEvent, (nxs_id event, nxs_id stream, nxs_ticket * out),   \
                      (events).pin(event)->let_wait(*(streams).pin(stream)))        \
  NEXUS_PLUGIN_EVENT(events)

#endif  // NEXUS_PLUGIN_QUEUED_STREAM_HPP_
