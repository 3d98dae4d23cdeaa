// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_STREAM_HPP_
#define NEXUS_CUDA_STREAM_HPP_

#include "device/device_state.hpp"

#include <cstdint>
#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <optional>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

// Another library's stream, to which a Stream submits.
struct ForeignStream {
  CUstream handle;
  EventPtr before, after;  // recorded around each submission

  // The legacy default stream exists as long as the context, and waits for all others.
  bool is_legacy_default() const noexcept {
    return reinterpret_cast<uintptr_t>(handle) <= CU_STREAM_LEGACY;
  }
  // The handle stands for another stream in each thread.
  bool is_thread_default() const noexcept {
    return reinterpret_cast<uintptr_t>(handle) == CU_STREAM_PER_THREAD;
  }
};

// An in-order stream of the driver. Any thread may submit, query and wait.
class Stream : public nexus_plugin::QueuedStream<Queue> {
 public:
  // Implement nxsCreateStream and nxsCreateStreamFromHandle.
  Stream(Device &device, int32_t priority);
  Stream(Device &device, ForeignStream foreign);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  DeviceState &state() const noexcept { return *state_; }
  const PooledStream &pooled() const noexcept { return *pooled_; }
  // Returns the driver's handle.
  uintptr_t native_handle() const noexcept {
    return reinterpret_cast<uintptr_t>(foreign_ ? foreign_->handle : pooled_->own);
  }
  // Returns whether another library submits work too.
  bool is_foreign() const noexcept { return foreign_.has_value(); }
  // Called when the stream is released: submits nothing more to the other library's stream.
  void leave_foreign() noexcept;

  // Submits the work that enqueue(Enqueuing &) enqueues, and returns its ticket. If that throws
  // after it has enqueued something, the stream fails. Throws the cause if the stream has failed.
  template <class Enqueue>
  nxs_ticket submit(Enqueue &&enqueue) {
    return submit_with(std::forward<Enqueue>(enqueue),
                       [this](Enqueuing &) { return tickets().add(); });
  }
  // Does the same for work that is only launches of kernels and graphs. No context needs to be
  // current, since the driver takes it from the stream.
  template <class Enqueue>
  nxs_ticket submit_launches(Enqueue &&enqueue) {
    // Default streams belong to the current context.
    if (foreign_) return submit(std::forward<Enqueue>(enqueue));
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    return enqueue_and_add(std::forward<Enqueue>(enqueue),
                           [this](Enqueuing &) { return tickets().add(); });
  }
  // Does the same as submit(), and records an event. The ticket is done after the event and the
  // condition, which may be empty.
  template <class Enqueue>
  nxs_ticket submit_marked(Enqueue &&enqueue, const ConditionPtr &condition) {
    const auto recorded = [&](Enqueuing &work) {
      enqueue(work);
      return record(work, false);
    };
    return submit_recorded(recorded, condition);
  }
  // Does the same with an event that enqueue(Enqueuing &) has recorded and returns. Nothing fails
  // after it has returned.
  template <class Enqueue>
  nxs_ticket submit_recorded(Enqueue &&enqueue, const ConditionPtr &condition) {
    EventPtr mark;
    const auto may_wait = [&](Enqueuing &work) {
      if (condition) tickets().prepare_to_wait();
      mark = enqueue(work);
    };
    try {
      return submit_with(may_wait,
                         [&](Enqueuing &) { return tickets().add(std::move(mark), condition); });
    } catch (...) {
      if (condition) keep_until_idle(condition);
      throw;
    }
  }

  // Submits a signal. timed: whether it tells its time. also(Enqueuing &) enqueues work before it.
  template <class Also>
  Signal signal(bool timed, Also &&also) {
    Signal made{Ref<Stream>::to(*this), 0, {}};
    made.ticket = submit_with(std::forward<Also>(also), [&](Enqueuing &work) {
      made.event = record(work, timed);
      return tickets().add(made.event, {});
    });
    return made;
  }

  // Records an event after the work that was enqueued.
  EventPtr record(Enqueuing &work, bool timed);

 private:
  Stream(Device &device, int32_t priority, PooledStream &pooled);

  template <class Enqueue, class Add>
  nxs_ticket submit_with(Enqueue &&enqueue, Add &&add) {
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    const CurrentContext current(device());
    return enqueue_and_add(std::forward<Enqueue>(enqueue), std::forward<Add>(add));
  }

  template <class Enqueue, class Add>
  nxs_ticket enqueue_and_add(Enqueue &&enqueue, Add &&add) {
    tickets().prepare();
    Enqueuing work{device(), pooled_->stream};
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
  void enter_foreign(Enqueuing &work);
  void follow_foreign(Enqueuing &work);
  CUresult try_to_follow(CUstream theirs) noexcept;

  // Keeps the condition of a failed submission until the stream is idle, since work that was
  // enqueued may use its memory.
  void keep_until_idle(ConditionPtr condition) noexcept;
  void fail_if_begun(Enqueuing &work) noexcept;

  DeviceState *state_;
  PooledStream *pooled_;
  std::optional<ForeignStream> foreign_;
  bool follows_ = false;  // submits to foreign_; guarded by tickets().mutex()
};

extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_STREAM_HPP_
