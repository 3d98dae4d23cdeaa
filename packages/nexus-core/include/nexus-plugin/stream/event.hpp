// SPDX-License-Identifier: Apache-2.0
// Binary events for backends that order their work on the host.
#ifndef NEXUS_PLUGIN_EVENT_HPP_
#define NEXUS_PLUGIN_EVENT_HPP_

#include <nexus-plugin/stream/completion.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// A submitted signal. It happens once: when the stream reaches it, or, with the cause, when the
// stream fails. Streams that wait for it continue when it is released, which is after its ticket is
// completed; so whenever their later work is done, the ticket is too. Any thread may use it.
class Signal {
 public:
  // Marks the signal as happened and records the time. Called once, before release().
  void happen(FailurePtr failure) noexcept {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    time_ = std::chrono::steady_clock::now();
    happened_.store(true, std::memory_order_seq_cst);
  }

  // Lets all waiting streams go on. May be called again.
  void release() noexcept {
    WaiterPtr waiting;
    {
      const std::lock_guard lock(mutex_);
      released_.store(true, std::memory_order_seq_cst);
      waiting = std::move(waiting_);
    }
    changed_.notify();
    for (; waiting; waiting = std::move(waiting->next)) waiting->happened(failure_);
  }

  // Calls happen() and release(), for a signal without a ticket.
  void set(FailurePtr failure) noexcept {
    happen(std::move(failure));
    release();
  }

  // Calls next(const FailurePtr &) when the signal is released: now, or later on the thread that
  // releases it. next must not throw. The order of several calls is unspecified.
  template <class Next>
  void then(Next next) {
    if (released()) return next(failure_);
    auto waiter = std::make_unique<WaiterOf<Next>>(std::move(next));
    {
      const std::lock_guard lock(mutex_);
      if (!released()) {
        waiter->next = std::move(waiting_);
        waiting_ = std::move(waiter);
        return;
      }
    }
    waiter->happened(failure_);
  }

  bool happened() const noexcept { return happened_.load(std::memory_order_seq_cst); }
  bool released() const noexcept { return released_.load(std::memory_order_seq_cst); }

  // Waits without a limit until it is released, and throws its cause if it failed. For a thread
  // that serves only one stream.
  void join() const {
    while (!changed_.wait(WaitPoint::kLongest, [&] { return released(); })) {
    }
    if (failure_) throw Failed(failure_);
  }

  // Waits until it has happened or timeout nanoseconds have passed, and returns whether it has. For
  // calls of the host.
  bool wait(uint64_t timeout) const {
    return changed_.wait(timeout, [&] { return happened(); });
  }

  // Both are valid once it has happened, and do not change any more.
  const FailurePtr &failure() const noexcept { return failure_; }
  std::chrono::steady_clock::time_point time() const noexcept { return time_; }

 private:
  struct Waiter {
    virtual ~Waiter() = default;
    virtual void happened(const FailurePtr &failure) noexcept = 0;
    std::unique_ptr<Waiter> next;
  };
  using WaiterPtr = std::unique_ptr<Waiter>;

  template <class Next>
  struct WaiterOf final : Waiter {
    explicit WaiterOf(Next given) : call(std::move(given)) {}
    void happened(const FailurePtr &failure) noexcept override { call(failure); }
    Next call;
  };

  std::mutex mutex_;
  WaiterPtr waiting_;
  FailurePtr failure_;
  std::chrono::steady_clock::time_point time_;
  std::atomic<bool> happened_{false};
  std::atomic<bool> released_{false};
  mutable WaitPoint changed_;
};

using SignalPtr = Shared<Signal>;

// An event of the host. It stands for its newest signal. Any thread may use it.
class BinaryEvent {
 public:
  explicit BinaryEvent(bool timing = false) : timing_(timing) {}

  bool timing() const noexcept { return timing_; }

  // Makes a submitted signal the newest one. Later waits for the event wait for it.
  void submitted(SignalPtr signal) {
    const std::lock_guard lock(mutex_);
    newest_ = std::move(signal);
  }

  // Returns the newest signal. Throws NXS_InvalidOperation if there was none yet.
  SignalPtr newest() const {
    const std::lock_guard lock(mutex_);
    if (!newest_) {
      throw Error(NXS_InvalidOperation,
                  "the event was never signalled; submit a signal before a wait");
    }
    return newest_;
  }

  // Implements nxsQueryEvent (timeout 0) and nxsSynchronizeEvent.
  void wait(uint64_t timeout, nxs_completion *out_completion) const {
    nxs_completion &out = check_struct(out_completion, "out_completion");
    const SignalPtr signal = newest();
    const bool happened = signal->wait(timeout);
    write_completion(out, happened, happened ? signal->failure().get() : nullptr, 0);
  }

  // Returns when the newest signal happened. Throws NXS_ProfilingInfoNotAvailable for an event
  // without timing, NXS_InvalidOperation before the signal has happened.
  std::chrono::steady_clock::time_point time() const {
    if (!timing_) {
      throw Error(NXS_ProfilingInfoNotAvailable,
                  "the event has no time; make it with NXS_ExecutionSettings_Timing");
    }
    const SignalPtr signal = newest();
    if (!signal->happened()) {
      throw Error(NXS_InvalidOperation, "the event is not signalled yet; wait for it first");
    }
    return signal->time();
  }

 private:
  const bool timing_;
  mutable std::mutex mutex_;
  SignalPtr newest_;
};

// Implements nxsGetElapsedTime.
inline double elapsed_nanoseconds(const BinaryEvent &start, const BinaryEvent &end) {
  return std::chrono::duration<double, std::nano>(end.time() - start.time()).count();
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_EVENT_HPP_
