// SPDX-License-Identifier: Apache-2.0
// Streams of the driver, which are taken from a pool, and streams of other libraries. Beside the
// members in queue.hpp and copy_workers.hpp, and those of capture.hpp, G has
//
//   static constexpr std::string_view kName = ...;  // of the driver: "CUDA"
//   // Launches take the device from the stream, and none needs to be current.
//   static constexpr bool kLaunchesAnywhere = ...;
//   // Lower numbers are more urgent.
//   static Result priority_range(int *least, int *greatest) noexcept;
//   static Result is_captured(NativeStream stream, bool *out) noexcept;  // into a graph, now
//   // The legacy default stream exists as long as the device, and waits for all others.
//   static bool is_legacy_default(NativeStream stream) noexcept;
//   // The handle stands for another stream in each thread.
//   static bool is_thread_default(NativeStream stream) noexcept;
//   static constexpr std::string_view kDefaultStreams = ...;  // the handles of both: "1 or 2"
//   // Tells whether work of the stream runs on the device as ours does. May throw.
//   static Result is_of(NativeStream stream, Device &device, bool *out);
//   static bool says_no_stream(Result result) noexcept;  // of is_of(): it is not a stream
//   // "handle is 7, <kNotOf> 'name' (0); give a stream of <kInstead>"
//   static constexpr std::string_view kNotOf = ..., kInstead = ...;
#ifndef NEXUS_PLUGIN_GPU_STREAM_HPP_
#define NEXUS_PLUGIN_GPU_STREAM_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/gpu/device_state.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Another library's stream, to which a Stream submits.
template <class G>
struct ForeignStream {
  typename G::NativeStream handle;
  EventPtr<G> before, after;  // recorded around each submission
};

// An in-order stream of the driver. Any thread may submit, query and wait.
template <class G>
class Stream : public QueuedStream<Queue<G>> {
  using Base = QueuedStream<Queue<G>>;
  using Use = typename G::Use;
  using Work = Enqueuing<G>;
  using ConditionPtr = Shared<ConditionOf<G>>;

 public:
  using Device = typename G::Device;
  using Base::device, Base::tickets;

  // Implement nxsCreateStream and nxsCreateStreamFromHandle.
  Stream(Device &owner, int32_t priority) : Stream(owner, priority, take_pooled(owner, priority)) {}
  Stream(Device &owner, ForeignStream<G> foreign) : Stream(owner, 0) {
    follows_ = !G::is_legacy_default(foreign.handle);
    foreign_ = std::move(foreign);
    if (!follows_) state_->stream_pool.redirect(*pooled_, foreign_->handle);
  }
  ~Stream() { state_->stream_pool.give_back(*pooled_); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  DeviceState<G> &state() const noexcept { return *state_; }
  const Pooled<G> &pooled() const noexcept { return *pooled_; }
  // Returns the driver's handle.
  uintptr_t native_handle() const noexcept { return reinterpret_cast<uintptr_t>(native()); }
  // Returns whether another library submits work too.
  bool is_foreign() const noexcept { return foreign_.has_value(); }
  // Called when the stream is released: ends a capture, and submits nothing more to the other
  // library's stream.
  void leave() noexcept {
    left_ = true;
    if (!foreign_ && !captures_) return;
    const std::lock_guard lock(tickets().mutex());
    if (captures_) {
      try {
        (void)G::destroy(end_own_capture());
      } catch (const std::exception &) {  // it was invalid, or the device is lost
      }
    }
    if (!foreign_) return;
    if (!follows_) {
      try {
        const Use current(device());
        Work work{device(), pooled_->stream, true};
        follow_foreign(work);
      } catch (const std::exception &) {  // the device is lost, or the work has ended
      }
      state_->stream_pool.redirect_back(*pooled_);
    }
    follows_ = false;
  }

  // Implements nxsBeginCapture. The driver may not be asked about a stream that captures. So as
  // long as this one does, another one, which waits for its earlier work, is asked in its place.
  void begin_capture() {
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    refuse_capturing();
    const Use current(device());
    tickets().prepare();
    if (foreign_) {
      refuse_captured(foreign_->handle);
      if (G::is_thread_default(foreign_->handle)) {
        throw Error(
            NXS_InvalidOperation,
            "the stream is the per-thread default stream, where only the thread that begins "
            "a capture can end it; capture another stream");
      }
    } else {
      const auto earlier = EventPtr<G>::make(state_->events, false);
      device().check(G::record(earlier->get(), pooled_->own), kCapturing);
      stand_in_ = &state_->stream_pool.take(0);
      try {
        device().check(G::wait(stand_in_->own, earlier->get()), kCapturing);
      } catch (...) {
        drop_stand_in();
        throw;
      }
      state_->stream_pool.redirect(*pooled_, stand_in_->own);
    }
    captures_ = true;  // before left_ is read, so that leave() ends it or it does not begin
    try {
      if (left_) throw Error(NXS_InvalidStream, "the stream was released");
      device().check(G::begin_capture(native()), kCapturing);
    } catch (...) {
      captures_ = false;
      drop_stand_in();
      throw;
    }
  }
  // Ends the capture in any case. Throws the driver's error, such as that the capture is invalid.
  // The caller destroys the graph.
  typename G::NativeGraph end_capture() {
    const std::lock_guard lock(tickets().mutex());
    if (!captures_) {
      throw Error(NXS_InvalidOperation, "the stream captures nothing; begin a capture first");
    }
    return end_own_capture();
  }

  // Submits the work that enqueue(Work &) enqueues, and returns its ticket. If that throws
  // after it has enqueued something, the stream fails. Throws the cause if the stream has failed.
  template <class Enqueue>
  nxs_ticket submit(Enqueue &&enqueue) {
    return submit_with(std::forward<Enqueue>(enqueue), [this](Work &) { return tickets().add(); });
  }
  // Does the same for work that is only launches of kernels and graphs.
  template <class Enqueue>
  nxs_ticket submit_launches(Enqueue &&enqueue) {
    // Default streams belong to the device that is current.
    if (!G::kLaunchesAnywhere || foreign_) return submit(std::forward<Enqueue>(enqueue));
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    return enqueue_and_add(std::forward<Enqueue>(enqueue),
                           [this](Work &) { return tickets().add(); });
  }
  // Does the same as submit(), and records an event. The ticket is done after the event and the
  // condition, which may be empty.
  template <class Enqueue>
  nxs_ticket submit_marked(Enqueue &&enqueue, const ConditionPtr &condition) {
    const auto recorded = [&](Work &work) {
      enqueue(work);
      return record(work, false);
    };
    return submit_recorded(recorded, condition);
  }
  // Does the same with an event that enqueue(Work &) has recorded and returns. Nothing fails
  // after it has returned.
  template <class Enqueue>
  nxs_ticket submit_recorded(Enqueue &&enqueue, const ConditionPtr &condition) {
    EventPtr<G> mark;
    const auto may_wait = [&](Work &work) {
      if (condition) tickets().prepare_to_wait();
      mark = enqueue(work);
    };
    try {
      return submit_with(may_wait,
                         [&](Work &) { return tickets().add(std::move(mark), condition); });
    } catch (...) {
      if (condition) keep_until_idle(condition);
      throw;
    }
  }

  // Submits a signal. timed: whether it tells its time. also(Work &) enqueues work before it.
  template <class Also>
  StreamSignal<Queue<G>> signal(bool timed, Also &&also) {
    StreamSignal<Queue<G>> made{Ref<Stream>::to(*this), 0, {}};
    made.ticket = submit_with(std::forward<Also>(also), [&](Work &work) {
      made.event = record(work, timed);
      return tickets().add(made.event, {});
    });
    return made;
  }

  // Called in submit()'s enqueue, before work that has loops. Returns the device's address of a
  // number that ends them when it is above 0. Throws NXS_Cancelled after stop_loops().
  typename G::Address stop_address() {
    if (loops_stop_) {
      throw Error(NXS_Cancelled,
                  "the stream was closed or the process ends, so while commands do not run in it; "
                  "use another stream");
    }
    if (looping_ == 0) state_->loop_stops.set(device(), pooled_->index, 0);
    return state_->loop_stops.address(pooled_->index);
  }
  // Called there after such work.
  void note_loops() noexcept { looping_ = tickets().completion().last() + 1; }
  // Implements nxsStopLoops.
  void stop_loops() {
    loops_stop_ = true;
    tickets().give_up(
        [this] { return looping_.load(); },
        Error(NXS_Cancelled,
              "the stream was closed or the process ended before the condition of a while command "
              "was 0; set it to 0, or give max_count"),
        [this] {
          if (looping_ != 0) state_->loop_stops.set(device(), pooled_->index, 1);
        });
  }

  // Records an event after the work that was enqueued.
  EventPtr<G> record(Work &work, bool timed) {
    auto event = EventPtr<G>::make(state_->events, timed);
    work.check(G::record(event->get(), work.stream), "recording an event");
    return event;
  }

 private:
  static constexpr const char *kFollowing = "following another library's stream";
  static constexpr const char *kEntering = "entering a thread's default stream";
  static constexpr const char *kCapturing = "beginning to capture a stream";

  Stream(Device &owner, int32_t priority, Pooled<G> &taken)
      : Base(owner, priority, {&owner, &taken}), state_(&owner.state()), pooled_(&taken) {}

  // Takes a pooled stream. Priorities below normal, which the driver does not have, become normal.
  static Pooled<G> &take_pooled(Device &owner, int32_t priority) {
    owner.refuse_lost();
    const Use current(owner);
    int least = 0, greatest = 0;
    owner.check(G::priority_range(&least, &greatest), "reading the stream priorities");
    const int lowest = std::max(least, -greatest);
    if (priority < greatest || priority > lowest) {
      throw Error(NXS_InvalidValue, "priority is ", priority, "; the device '", owner.name(),
                  "' has those from ", greatest, " (the most urgent) to ", lowest);
    }
    return owner.state().stream_pool.take(std::min(priority, least));
  }

  template <class Enqueue, class Add>
  nxs_ticket submit_with(Enqueue &&enqueue, Add &&add) {
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    const Use current(device());
    return enqueue_and_add(std::forward<Enqueue>(enqueue), std::forward<Add>(add));
  }

  template <class Enqueue, class Add>
  nxs_ticket enqueue_and_add(Enqueue &&enqueue, Add &&add) {
    if (captures_) [[unlikely]]
      refuse_capturing();
    tickets().prepare();
    Work work{device(), pooled_->stream};
    try {
      if (follows_) [[unlikely]]
        enter_foreign(work);
      std::forward<Enqueue>(enqueue)(work);
      if (follows_) [[unlikely]]
        follow_foreign(work);
      return std::forward<Add>(add)(work);
    } catch (...) {
      fail_if_begun(work);
      throw;
    }
  }

  // Work is enqueued in the other library's stream between these two. Then the pooled stream waits
  // for it, so that later queries use only the pooled stream: the other one may be destroyed.
  // The first makes a thread's default stream wait for work of other threads. The second, if it
  // throws, first waits until no enqueued work uses the caller's memory.
  void enter_foreign(Work &work) {
    work.stream = foreign_->handle;
    refuse_captured(work.stream);
    if (!G::is_thread_default(work.stream)) return;
    const auto before = foreign_->before->get();
    device().check(G::record(before, pooled_->own), kEntering);
    device().check(G::wait(work.stream, before), kEntering);
  }
  void follow_foreign(Work &work) {
    Result followed = try_to_follow(work.stream);
    if (followed != kSuccess && !G::errors.is_fatal(followed)) {
      followed = try_to_follow(work.stream);
    }
    try {
      device().check(followed, kFollowing);
    } catch (...) {
      const Result ended = work.begun ? G::synchronize(work.stream) : kSuccess;
      if (G::errors.is_fatal(ended)) (void)device().failure_of(ended, kFollowing);
      throw;
    }
  }
  Result try_to_follow(typename G::NativeStream theirs) noexcept {
    const auto after = foreign_->after->get();
    const Result recorded = G::record(after, theirs);
    return recorded != kSuccess ? recorded : G::wait(pooled_->own, after);
  }
  // Refuses a stream that is being captured into a graph: its work does not run now, and recording
  // an event for waits would make the capture invalid.
  void refuse_captured(typename G::NativeStream stream) {
    bool captured = false;
    device().check(G::is_captured(stream, &captured), "asking whether a stream is captured");
    if (!captured) return;
    throw Error(NXS_InvalidOperation,
                "the stream is another library's, which is capturing its work into a graph; end "
                "the capture first, or use another stream");
  }

  typename G::NativeStream native() const noexcept {
    return foreign_ ? foreign_->handle : pooled_->own;
  }
  void refuse_capturing() const {
    if (!captures_) return;
    throw Error(NXS_InvalidOperation,
                "the stream captures work for a schedule; end the capture first, or use another "
                "stream");
  }
  typename G::NativeGraph end_own_capture() {
    captures_ = false;
    const auto end = [&] {
      typename G::NativeGraph graph{};
      const Use current(device());
      device().check(G::end_capture(native(), &graph), "ending the capture of a stream");
      return graph;
    };
    try {
      const auto graph = end();
      drop_stand_in();
      return graph;
    } catch (...) {
      // A stream that still captured could not be used any more.
      try {
        (void)G::destroy(end());
      } catch (const std::exception &) {
      }
      drop_stand_in();
      throw;
    }
  }
  void drop_stand_in() noexcept {
    if (stand_in_ == nullptr) return;
    state_->stream_pool.redirect_back(*pooled_);
    state_->stream_pool.give_back(*std::exchange(stand_in_, nullptr));
  }

  // Keeps the condition of a failed submission until the stream is idle, since work that was
  // enqueued may use its memory.
  void keep_until_idle(ConditionPtr condition) noexcept {
    state_->frees.add_when_idle(stream_bit(pooled_->index), [condition = std::move(condition)] {});
  }
  void fail_if_begun(Work &work) noexcept {
    if (follows_ && work.begun) {
      try {
        follow_foreign(work);
      } catch (const std::exception &) {  // the stream fails in any case
      }
    }
    if (work.begun || device().lost() != nullptr) tickets().fail(current_failure());
  }

  DeviceState<G> *state_;
  Pooled<G> *pooled_;
  std::optional<ForeignStream<G>> foreign_;
  // Guarded by tickets().mutex():
  bool follows_ = false;  // submits to foreign_
  Pooled<G> *stand_in_ = nullptr;
  // Also read by leave() without the mutex:
  std::atomic<bool> captures_{false};  // for a schedule
  std::atomic<bool> left_{false};
  // Also read by stop_loops() without the mutex:
  std::atomic<nxs_ticket> looping_{0};  // the newest one with loops
  std::atomic<bool> loops_stop_{false};
};

// Checks the arguments of nxsCreateStreamFromHandle.
template <class G>
ForeignStream<G> find_foreign(typename G::Device &device, uint64_t handle) {
  device.refuse_lost();
  DeviceState<G> &state = device.state();
  const typename G::Use current(device);
  ForeignStream<G> found{reinterpret_cast<typename G::NativeStream>(static_cast<uintptr_t>(handle)),
                         EventPtr<G>::make(state.events, false),
                         EventPtr<G>::make(state.events, false)};
  bool is_of_device = false;
  const Result known = G::is_of(found.handle, device, &is_of_device);
  if (G::says_no_stream(known)) {
    throw Error::with_native_code(known, NXS_InvalidValue, "handle is ", handle,
                                  ", and the driver knows no such stream (", G::errors.name(known),
                                  "); give the handle of an existing ", G::kName, " stream, or ",
                                  G::kDefaultStreams, " for a default stream");
  }
  device.check(known, "asking for the context of a stream");
  if (!is_of_device) {
    throw Error(NXS_InvalidValue, "handle is ", handle, ", ", G::kNotOf, " '", device.name(), "' (",
                device.ordinal(), "); give a stream of ", G::kInstead);
  }
  return found;
}

template <class G>
inline constexpr auto stream_properties = property_table<Stream<G>>({
    {NP_NativeHandle, [](const Stream<G> &stream) -> Value { return stream.native_handle(); }},
});

}  // namespace gpu
}  // namespace nexus_plugin

// Defines the functions of streams. Gpu: the backend's struct. devices, streams: its handle tables.
//   NEXUS_PLUGIN_GPU_STREAMS(Gpu, devices, streams)
#define NEXUS_PLUGIN_GPU_STREAMS(Gpu, devices, streams)                                       \
  NEXUS_PLUGIN_QUEUED_STREAM(nexus_plugin::gpu::Queue<Gpu>, streams,                          \
                             nexus_plugin::gpu::stream_properties<Gpu>)                       \
  NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),           \
                      (streams).create(*(devices).pin(device), priority))                     \
  NEXUS_PLUGIN_RESULT(                                                                        \
      CreateStreamFromHandle, (nxs_id device, uint64_t handle, nxs_id *out),                  \
      (streams).create(*(devices).pin(device),                                                \
                       nexus_plugin::gpu::find_foreign<Gpu>(*(devices).pin(device), handle))) \
  NEXUS_PLUGIN_FUNCTION(ReleaseStream, (nxs_id id), (streams).release(id)->leave())

#endif  // NEXUS_PLUGIN_GPU_STREAM_HPP_
