// SPDX-License-Identifier: Apache-2.0
// Streams that are a driver's queues, and binary events, which name signals in them: what is the
// same for each driver. Beside what tickets.hpp and host_calls.hpp ask for, Queue has
//
//   using Device = ...;  // may be const; lives as long as the process
//   // Enqueues that later work starts behind a signal of another stream. work: as submit() gives.
//   static void enqueue_wait(... &work, const StreamSignal<Queue> &signal);
//   // Nanoseconds between timed events that are done.
//   static double elapsed(Device &device, const Event &start, const Event &end);
//
// and Stream, which is derived from QueuedStream<Queue>,
//
//   // Submits what enqueue(work) enqueues, and returns its ticket. Where it throws before anything
//   // was enqueued nothing was done; else the stream fails. submit_marked() gives the ticket a
//   // mark of its own, which is done when the condition is too.
//   nxs_ticket submit(enqueue);
//   nxs_ticket submit_marked(enqueue, condition);
//   // Submits a signal. timed: with a time of its own.
//   StreamSignal<Queue> signal(bool timed);
#ifndef NEXUS_PLUGIN_QUEUED_STREAM_HPP_
#define NEXUS_PLUGIN_QUEUED_STREAM_HPP_

#include <nexus-plugin/host_calls.hpp>
#include <nexus-plugin/property_table.hpp>
#include <nexus-plugin/tickets.hpp>
#include <nexus-plugin/transfer.hpp>

#include <mutex>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// A place in a stream that others wait for: its ticket, and the driver's event of it.
template <class Queue>
struct StreamSignal {
  Ref<typename Queue::Stream> stream;  // empty: there was none yet
  nxs_ticket ticket = 0;
  // Not done before the work ahead of the ticket is; empty where that was known done.
  typename Queue::Event event{};
};

// Any thread may submit, query and wait.
template <class Queue>
class QueuedStream {
 public:
  using Device = typename Queue::Device;
  using Stream = typename Queue::Stream;

  // device outlives this. priority: that was asked for.
  QueuedStream(Device &device, int32_t priority, Queue queue)
      : device_(&device), priority_(priority), tickets_(std::move(queue)) {}

  Device &device() const noexcept { return *device_; }
  int32_t priority() const noexcept { return priority_; }
  Tickets<Queue> &tickets() noexcept { return tickets_; }
  const Tickets<Queue> &tickets() const noexcept { return tickets_; }
  const Completion &completion() const noexcept { return tickets_.completion(); }
  // Returns whether the ticket is completed or failed. Asks the driver where that is not known.
  bool done(nxs_ticket ticket) noexcept { return tickets_.done(ticket); }

  // A ticket that is done when all work before it is.
  nxs_ticket mark() {
    return self().submit([](auto &) {});
  }

  // Work from now on starts after the signal.
  nxs_ticket wait(const StreamSignal<Queue> &signal) {
    if (signal.stream.get() == &self()) return mark();  // in order as it is
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

// A binary event: the name of the newest signal that it was given. Any thread.
template <class Queue>
class QueuedEvent {
 public:
  using Device = typename Queue::Device;
  using Stream = typename Queue::Stream;
  using Signal = StreamSignal<Queue>;

  // device outlives this. timed: its signals have times.
  QueuedEvent(Device &device, bool timed) : device_(&device), timed_(timed) {}

  Device &device() const noexcept { return *device_; }
  bool timed() const noexcept { return timed_; }

  // Submits a signal, which is the newest one from now on. Returns its ticket.
  // Throws NXS_InvalidDevice where the stream is another device's.
  nxs_ticket signal(Stream &stream) {
    return signal_by(stream, [&] { return stream.signal(timed_); });
  }
  nxs_ticket let_wait(Stream &stream) const { return stream.wait(newest()); }

  // The newest signal. Throws NXS_InvalidOperation where there was none yet.
  Signal newest() const {
    Signal signal = try_newest();
    if (signal.stream) return signal;
    throw Error(NXS_InvalidOperation,
                "the event was never signalled; submit a signal before a wait");
  }
  // The same; an empty one where there was none yet.
  Signal try_newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  // The same of an event with a time, and a signal that has happened. Throws as nxsGetElapsedTime.
  Signal timed_signal() const {
    if (!timed_) {
      throw Error(NXS_ProfilingInfoNotAvailable,
                  "the event has no time; make it with NXS_ExecutionSettings_Timing");
    }
    Signal signal = newest();
    if (signal.stream->done(signal.ticket)) return signal;
    throw Error(NXS_InvalidOperation, "the event is not signalled yet; wait for it first");
  }

  // As nxsSynchronizeEvent, and with a timeout of 0 as nxsQueryEvent.
  void wait(uint64_t timeout, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    const Signal signal = newest();
    signal.stream->tickets().wait(signal.ticket, timeout, &out);
    out.completed = 0;
  }

 protected:
  // signal(), where submit() submits it. Under the lock, so that the newest signal is the one that
  // was submitted last.
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

// Answers nxsGetElapsedTime.
template <class Queue>
double elapsed_nanoseconds(const QueuedEvent<Queue> &start, const QueuedEvent<Queue> &end) {
  const StreamSignal<Queue> from = start.timed_signal(), to = end.timed_signal();
  detail::require_same_device("start event", start, end);
  return Queue::elapsed(end.device(), from.event, to.event);
}

// Answers nxsGetStreamProperty. own: what the backend's streams have beside what all have.
template <class Stream, std::size_t Count>
void get_stream_property(const Ref<Stream> &stream, nxs_property property, nxs_value *out_value,
                         const PropertyTable<Stream, Count> &own) {
  static constexpr auto common = property_table<Stream>({
      {NP_LastTicket, [](const Stream &each) -> Value { return each.completion().last(); }},
      {NP_Priority, [](const Stream &each) -> Value { return each.priority(); }},
      {NP_Status,
       [](const Stream &each) -> Value {
         if (each.completion().failure() != nullptr) return "Error";
         return each.completion().idle() ? "Complete" : "Running";
       }},
  });
  stream->tickets().poll(stream->completion().last());
  joined(common, own).get(*stream, property, out_value);
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
