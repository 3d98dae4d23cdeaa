// SPDX-License-Identifier: Apache-2.0
// Streams and events of drivers that are alike: CUDA's driver API, and HIP, which has the same
// functions by other names.
//
// A backend describes its driver by one struct, G, the only parameter of the templates in this
// folder. It has types, constants and small static functions, and no state:
//
//   struct Gpu {
//     using Device = ...;                               // what device.hpp asks for
//     static constexpr std::string_view kName = "CUDA";  // for texts
//     static Result record(NativeEvent event, NativeStream stream) noexcept;
//     ...
//   };
//   using Stream = nexus_plugin::gpu::Stream<Gpu>;
//
// A function calls the driver once where it can, and returns its result; the templates check it and
// have the texts of errors. It makes no device current: its caller has. What only some drivers can
// do is a constant or an optional member, which the templates ask for with if constexpr. Each file
// lists in its head what it asks of G. This one asks for
//
//   using NativeStream = ...;  // pointers, of two types
//   using NativeEvent = ...;
//   static constexpr Result kNotReady = ...;  // of query(): there is unfinished work
//   static constexpr unsigned kTimedEvent = ..., kUntimedEvent = ...;  // for make_event()
//   static Result make_stream(NativeStream *out, int32_t priority) noexcept;  // non-blocking
//   static Result destroy(NativeStream stream) noexcept;
//   static Result make_event(NativeEvent *out, unsigned flags) noexcept;
//   static Result destroy(NativeEvent event) noexcept;
//   static Result query(NativeStream stream) noexcept;
//   static Result query(NativeEvent event) noexcept;
//   static Result record(NativeEvent event, NativeStream stream) noexcept;
//   static Result wait(NativeStream stream, NativeEvent event) noexcept;  // lets the stream wait
//   static Result elapsed(float *milliseconds, NativeEvent start, NativeEvent end) noexcept;
//   static Result call_host(NativeStream stream, void (*function)(void *), void *given) noexcept;
#ifndef NEXUS_PLUGIN_GPU_QUEUE_HPP_
#define NEXUS_PLUGIN_GPU_QUEUE_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/gpu/device.hpp>
#include <nexus-plugin/stream/event_pool.hpp>
#include <nexus-plugin/stream/queued_stream.hpp>
#include <nexus-plugin/stream/stream_pool.hpp>

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
class Stream;

// One submission.
template <class G>
struct Enqueuing {
  typename G::Device &device;
  typename G::NativeStream stream;
  bool begun = false;  // whether anything was enqueued

  // Checks the result of each call that enqueues work.
  void check(Result result, std::string_view what) {
    device.check(result, what);
    begun = true;
  }
};

// A pooled stream; see tickets.hpp, event_pool.hpp, stream_pool.hpp and host_calls.hpp for what the
// members do. Files that use it include device_state.hpp.
template <class G>
struct Queue {
  using Device = typename G::Device;
  using NativeEvent = typename G::NativeEvent;
  static NativeEvent make_event(Device &device, bool timed) {
    NativeEvent made{};
    device.check(G::make_event(&made, timed ? G::kTimedEvent : G::kUntimedEvent),
                 "making an event");
    return made;
  }
  static void destroy_event(NativeEvent event) noexcept { (void)G::destroy(event); }
  using NativeStream = typename G::NativeStream;
  static NativeStream make_stream(Device &device, int32_t priority) {
    NativeStream made{};
    device.check(G::make_stream(&made, priority), "making a stream");
    return made;
  }
  static Result query_stream(NativeStream stream) noexcept { return G::query(stream); }

  using Stream = gpu::Stream<G>;
  using Event = Shared<PooledEvent<Queue>>;
  using Status = Result;
  static constexpr Result kDone = kSuccess;
  static bool is_running(Result status) noexcept { return status == G::kNotReady; }
  // Spinning avoids the tens of microseconds by which a sleeping thread wakes late. The driver's
  // own wait spins without limit.
  static constexpr std::chrono::milliseconds kSpin{10};

  const Failure *lost() const noexcept { return device->lost(); }
  FailurePtr lost_cause() const { return device->lost_cause(); }
  static typename G::Use use(Device &device) { return typename G::Use(device); }
  typename G::Use use() const { return use(*device); }
  Event record() const {
    Event event = Event::make(device->state().events, false);
    device->check(G::record(event->get(), pooled->stream), kWork);
    return event;
  }
  static Result query(const Event &event) noexcept { return G::query(event->get()); }
  Result query_all() const noexcept { return query_stream(pooled->stream); }
  FailurePtr failure_of(Result status) const noexcept { return device->failure_of(status, kWork); }
  void waited() const { device->state().memory.keep_to_threshold(); }
  static void enqueue_wait(Enqueuing<G> &work, const StreamSignal<Queue> &signal) {
    work.check(G::wait(work.stream, signal.event->get()), "enqueuing a wait for an event");
  }
  static double elapsed(Device &device, const StreamSignal<Queue> &start,
                        const StreamSignal<Queue> &end) {
    device.refuse_lost();
    const typename G::Use current(device);
    float milliseconds = 0;
    device.check(G::elapsed(&milliseconds, start.event->get(), end.event->get()),
                 "reading the time between two events");
    if (milliseconds < 0 && &*start.stream == &*end.stream && start.ticket <= end.ticket) {
      throw Error(NXS_InternalError, G::kName, " tells ", milliseconds,
                  " ms from an event to a later one of the same stream: its clock is wrong");
    }
    return static_cast<double>(milliseconds) * 1e6;
  }
  static void enqueue_host_call(Enqueuing<G> &work, void (*reached)(void *), void *call) {
    work.check(G::call_host(work.stream, reached, call), "enqueuing a host callback");
  }
  void call_later(Event event, std::function<void()> call) const noexcept {
    device->state().frees.add({std::move(event)}, std::move(call));
  }

  Device *device;
  const PooledStream<NativeStream> *pooled;

 private:
  static constexpr const char *kWork = "work of the stream";
};

template <class G>
using EventPtr = typename Queue<G>::Event;
template <class G>
using ConditionOf = Condition<Stream<G>>;
template <class G>
using Pooled = PooledStream<typename G::NativeStream>;
template <class G>
using BusyStreams = typename StreamPool<Queue<G>>::BusyStreams;

// A stream outside the pool, destroyed by the destructor. The device must be current.
template <class G>
class OwnedStream {
 public:
  explicit OwnedStream(typename G::Device &device) : stream_(Queue<G>::make_stream(device, 0)) {}
  ~OwnedStream() { G::errors.log_unreleased(G::destroy(stream_), "destroying a stream"); }
  OwnedStream(const OwnedStream &) = delete;
  OwnedStream &operator=(const OwnedStream &) = delete;

  typename G::NativeStream get() const noexcept { return stream_; }

 private:
  const typename G::NativeStream stream_;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_QUEUE_HPP_
