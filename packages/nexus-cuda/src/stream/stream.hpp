// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_STREAM_HPP_
#define NEXUS_CUDA_STREAM_HPP_

#include "device/device.hpp"
#include "device/device_state.hpp"
#include "device/queue.hpp"

#include <cstdint>
#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <optional>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

// Another library's stream that one of ours is over.
struct ForeignStream {
  CUstream handle;
  EventPtr ahead, behind;  // recorded again and again

  // The one that waits for all others. It never ends.
  bool is_legacy_default() const noexcept {
    return reinterpret_cast<uintptr_t>(handle) <= CU_STREAM_LEGACY;
  }
  // In each thread another one.
  bool is_thread_default() const noexcept {
    return reinterpret_cast<uintptr_t>(handle) == CU_STREAM_PER_THREAD;
  }
};

// An in-order stream of the driver. Any thread may submit, query and wait.
class Stream : public nexus_plugin::QueuedStream<Queue> {
 public:
  // priority: as nxsCreateStream. device outlives this.
  Stream(Device &device, int32_t priority);
  // As nxsCreateStreamFromHandle, of a stream of the device.
  Stream(Device &device, ForeignStream foreign);
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  DeviceState &state() const noexcept { return *state_; }
  const PooledStream &pooled() const noexcept { return *pooled_; }
  // The driver's handle.
  uintptr_t native_handle() const noexcept {
    return reinterpret_cast<uintptr_t>(foreign_ ? foreign_->handle : pooled_->own);
  }
  // Returns whether others give work to it too.
  bool is_foreign() const noexcept { return foreign_.has_value(); }
  // Called when the id ends: nothing more goes to the other library's stream.
  void leave_foreign() noexcept;

  // Submits what enqueue(Enqueuing &) enqueues, and returns its ticket. Where it throws before
  // anything was enqueued nothing was done; else the stream fails.
  // Throws the cause where the stream has failed.
  template <class Enqueue>
  nxs_ticket submit(Enqueue &&enqueue) {
    return submit_with(std::forward<Enqueue>(enqueue),
                       [this](Enqueuing &) { return tickets().add(); });
  }
  // The same where enqueue only launches kernels and graphs: the driver takes their context from
  // the stream, so none needs to be current.
  template <class Enqueue>
  nxs_ticket submit_launches(Enqueue &&enqueue) {
    if (foreign_) return submit(std::forward<Enqueue>(enqueue));  // may be the context's default
    device().refuse_lost();
    const std::lock_guard lock(tickets().mutex());
    return enqueue_and_add(std::forward<Enqueue>(enqueue),
                           [this](Enqueuing &) { return tickets().add(); });
  }
  // As submit() with a mark of its own, which is done when the condition is too.
  template <class Enqueue>
  nxs_ticket submit_marked(Enqueue &&enqueue, const ConditionPtr &condition) {
    const auto recorded = [&](Enqueuing &work) {
      enqueue(work);
      return record(work, false);
    };
    return submit_recorded(recorded, condition);
  }
  // The same where enqueue(Enqueuing &) itself records the mark's event, and returns it. After its
  // return nothing fails.
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

  // Submits a signal. timed: with a clock. also(Enqueuing &) enqueues what comes before it.
  template <class Also>
  Signal signal(bool timed, Also &&also) {
    Signal made{Ref<Stream>::to(*this), 0, {}};
    made.ticket = submit_with(std::forward<Also>(also), [&](Enqueuing &work) {
      made.event = record(work, timed);
      return tickets().add(made.event, {});
    });
    return made;
  }
  Signal signal(bool timed) {
    return signal(timed, [](Enqueuing &) {});
  }

  // An event behind all that was enqueued.
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

  // Work goes to the other library's stream, and the pooled stream then waits for it, so that the
  // other one, which may end, is asked nothing later. A thread's default stream first waits for the
  // pooled one, where another thread's work may be.
  void enter_foreign(Enqueuing &work);
  // Where it throws, all that was enqueued has ended: nothing writes to the caller's memory later.
  void follow_foreign(Enqueuing &work);
  CUresult try_to_follow(CUstream theirs) noexcept;

  // Keeps a refused condition until the stream is idle: enqueued work may still use its memory.
  void keep_until_idle(ConditionPtr condition) noexcept;
  void fail_if_begun(Enqueuing &work) noexcept;

  DeviceState *state_;
  PooledStream *pooled_;
  std::optional<ForeignStream> foreign_;
  bool follows_ = false;  // with the tickets' mutex
};

extern constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_STREAM_HPP_
