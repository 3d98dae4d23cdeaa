// SPDX-License-Identifier: Apache-2.0
#include "stream/host_call.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "base/process_thread.hpp"
#include "base/sink.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/own_work.hpp"
#include "stream/running_call.hpp"
#include "stream/stream.hpp"

namespace nexus::core {
namespace {

// A thread that had nothing to do for this long ends.
constexpr std::chrono::seconds kThreadIdle{1};

/// The call that a thread runs, and the queues of its work without a stream.
class Running final : public RunningCall {
 public:
  Running(const Queue &queue, const std::vector<CallMemory> &memories) noexcept
      : RunningCall(queue, memories) {}
  ~Running();

  Queue &queueFor(Device &device) override;
  /// Waits for the work that the call left in those queues. Throws its failure.
  void finish();

 private:
  std::vector<Ref<Queue>> own_;  // one for each device
};

Running::~Running() {
  for (Ref<Queue> &queue : own_) {
    DeviceQueues &queues = queue->device().queues();
    if (queue->state() == NXS_CompletionState_Completed && !queue->loopsStopped()) {
      queues.giveSpare(std::move(queue));
    } else {
      queues.end(*queue);
    }
  }
}

Queue &Running::queueFor(Device &device) {
  for (const Ref<Queue> &queue : own_) {
    if (&queue->device() == &device) return *queue;
  }
  return *own_.emplace_back(device.queues().takeSpare());
}

void Running::finish() {
  for (const Ref<Queue> &queue : own_) {
    queue->wait(queue->newest(), UINT64_MAX, Interrupt::Ignored);
  }
}

}  // namespace

HostFunction::HostFunction(const nexus_host_function &description)
    : name_(viewOf(description.name, "function->name")), description_(description) {
  requirePointer(reinterpret_cast<const void *>(description.call), "function->call");
}

HostFunction::~HostFunction() {
  if (owned_ && description_.release != nullptr) description_.release(description_.context);
}

void HostFunction::call(RunningCall &, const WorkName &work) const {
  Collector text;
  Collector log;
  const nxs_status status = description_.call(description_.context, text.sink(), log.sink());
  forgetFailure();  // the next function must not see this one's
  if (status == NXS_Success) return;
  throw Failure(status, work.failed(text.take())).withLog(log.take());
}

/// One call. It is held work of its queue, which it blocks until the call is done.
class HostCall final : public Counted {
 public:
  HostCall(Queue &queue, Ref<Callee> callee, std::vector<CallMemory> memories, WorkName work)
      : queue_(queue),
        callee_(std::move(callee)),
        memories_(std::move(memories)),
        work_(std::move(work)) {}

  std::optional<nxs_ticket> reached();
  void cancel() noexcept;
  void perform() noexcept;

 private:
  friend class HostCallThreads;

  enum class State { Held, Asked, Cancelled, Done };

  void askFor();
  static void onWorkDone(void *context, nxs_status status) noexcept;
  std::optional<Failure> callNow();

  const Ref<Queue> queue_;
  Ref<Callee> callee_;
  const std::vector<CallMemory> memories_;
  const WorkName work_;
  nxs_ticket earlier_ = 0;  // the newest ticket of the queue's earlier work

  std::mutex mutex_;
  State state_ = State::Held;       // under mutex_
  std::optional<Failure> failure_;  // also

  HostCall *next_ = nullptr;  // the threads'
};

// ---- In the queue --------------------------------------------------------------

// Called when all earlier work in the queue was submitted. Returns 0 when the queue may go on.
std::optional<nxs_ticket> HostCall::reached() {
  {
    const Lock lock(mutex_);
    if (state_ == State::Done && failure_) throw *failure_;
    if (state_ == State::Done) return 0;
    if (state_ != State::Held) return std::nullopt;
    state_ = State::Asked;
  }
  HostCallThreads &threads = ofProcess<HostCallThreads>();
  threads.reserve();
  ofProcess<OwnWork>().add();
  try {
    askFor();
  } catch (...) {
    ofProcess<OwnWork>().remove();
    threads.release();
    throw;
  }
  return std::nullopt;
}

// Enqueues the call when all work submitted to the queue is done.
void HostCall::askFor() {
  earlier_ = queue_->newestTicket();
  Ref<HostCall> self(this);
  if (queue_->isDone(earlier_)) {
    ofProcess<HostCallThreads>().enqueue(std::move(self));
  } else if (!queue_->device().plugin().has(NXS_Capability_HostCallback)) {
    whenDoneLater({{queue_, earlier_}}, [self] { ofProcess<HostCallThreads>().enqueue(self); });
  } else {
    submitHeld(*queue_, [&](Queue &into) {
      return into.call(&nxs_functions::EnqueueHostCallback, "call a function of the program",
                       into.id(), &HostCall::onWorkDone, static_cast<void *>(self.get()));
    });
    static_cast<void>(self.detach());  // now owned by the plug-in
  }
}

void HostCall::onWorkDone(void *context, nxs_status) noexcept {
  ofProcess<HostCallThreads>().enqueue(Ref<HostCall>::adopt(static_cast<HostCall *>(context)));
}

// The queue has failed or was closed. A call that has begun goes on.
void HostCall::cancel() noexcept {
  const Lock lock(mutex_);
  if (state_ == State::Asked) state_ = State::Cancelled;
}

// ---- On its thread --------------------------------------------------------------

void HostCall::perform() noexcept {
  std::optional<Failure> failure = callNow();
  callee_ = {};  // before later work begins, which may look whether it was released
  {
    const Lock lock(mutex_);
    state_ = State::Done;
    failure_ = std::move(failure);
  }
  queue_->wake();
}

std::optional<Failure> HostCall::callNow() {
  try {
    {
      const Lock lock(mutex_);
      if (state_ == State::Cancelled) return std::nullopt;
    }
    if (std::optional<Failure> cause = queue_->outcome(earlier_)) return cause;
    Running call(*queue_, memories_);
    callee_->call(call, work_);
    call.finish();
  } catch (const Failure &failure) {
    return failure;
  } catch (const std::exception &error) {
    return Failure(NXS_OutOfHostMemory, work_.failed(error.what()));
  }
  return std::nullopt;
}

// ---- The threads ----------------------------------------------------------------

void HostCallThreads::reserve() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (threads_ == reserved_) {
    startThreadForUser("A thread for the functions of schedules", [this] { run(); }).detach();
    ++threads_;
  }
  ++reserved_;
}

void HostCallThreads::release() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  --reserved_;
}

void HostCallThreads::enqueue(Ref<HostCall> call) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  HostCall *added = call.detach();
  (first_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  added_.notify_one();
}

void HostCallThreads::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const bool some = added_.wait_for(lock, kThreadIdle, [this] { return first_ != nullptr; });
    if (some) {
      Ref<HostCall> call =
          Ref<HostCall>::adopt(std::exchange(first_, std::exchange(first_->next_, nullptr)));
      lock.unlock();
      call->perform();
      call = {};
      ofProcess<OwnWork>().remove();
      lock.lock();
      --reserved_;
    } else if (threads_ > reserved_) {
      --threads_;
      return;
    }
  }
}

// ---- For schedules --------------------------------------------------------------

QueuePosition enqueueCall(Queue &queue, const Ref<Callee> &callee, std::vector<CallMemory> memories,
                          const WorkName &work, DeferredWakes &wakes) {
  const auto call = make<HostCall>(queue, callee, std::move(memories), work);
  return queue.hold({[call](Queue &) { return call->reached(); },
                     [call](const Failure &) { call->cancel(); }, true},
                    wakes);
}

}  // namespace nexus::core
