// SPDX-License-Identifier: Apache-2.0
//
// How a copy between devices is ordered, how it ends, and how it fails.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/process.hpp"
#include "memory/copy_thread.hpp"
#include "memory/cross_device_copy.hpp"
#include "stream/device_queues.hpp"

namespace nexus::core {

namespace {

/// Resources of a failed copy that submitted work may still use.
struct StillInUse {
  std::vector<Ref<Queue>> copy_queues;
  std::shared_ptr<Chunks> chunks;
  std::vector<Ref<Memory>> memories;
};

void releaseWhenDone(const std::shared_ptr<StillInUse> &in_use);

// The copy queues were waited for. A driver that does not answer may still use the memory, so that
// stays.
void releaseOrKeep(const std::shared_ptr<StillInUse> &in_use) {
  bool running = false;
  try {
    for (const Ref<Queue> &copy_queue : in_use->copy_queues) {
      running =
          running || copy_queue->state(copy_queue->newestTicket()) == NXS_CompletionState_Running;
    }
  } catch (const std::exception &) {
    static_cast<void>(new std::shared_ptr<StillInUse>(in_use));  // until the end of the process
    return;
  }
  if (running) {
    releaseWhenDone(in_use);
  } else if (in_use->chunks) {
    ofProcess<Staging>().drop(std::move(*in_use->chunks));
  }
}

void releaseWhenDone(const std::shared_ptr<StillInUse> &in_use) {
  std::vector<QueuedWork> uses;
  for (const Ref<Queue> &copy_queue : in_use->copy_queues) {
    uses.push_back({copy_queue, copy_queue->newestTicket()});
  }
  whenDone(std::move(uses), [in_use] { releaseOrKeep(in_use); });
}

}  // namespace

/// Releases what a copy used, after its mutex was unlocked: copy queues that can be used again, and
/// what a failed copy's submitted work may still use.
struct DeferredRelease {
  std::vector<Ref<Queue>> usable;
  std::vector<Ref<Queue>> copy_queues;
  std::shared_ptr<Chunks> chunks;
  std::vector<Ref<Memory>> memories;

  ~DeferredRelease() {
    for (Ref<Queue> &copy_queue : usable) copy_queue->device().queues().giveSpare(copy_queue);
    if (copy_queues.empty()) {
      return;
    }
    for (const Ref<Queue> &copy_queue : copy_queues) {
      copy_queue->end();
    }
    releaseWhenDone(std::make_shared<StillInUse>(StillInUse{copy_queues, chunks, memories}));
  }
};

// Runs a step under the mutex. A failure of the step is the copy's; what follows from it, and the
// waking of others, comes after the unlock.
template <typename Step>
auto CrossDeviceCopy::locked(Step step) {
  DeferredWakes wakes;
  DeferredRelease release;
  const Lock lock(mutex_);
  try {
    return step(wakes, release);
  } catch (const Failure &failure) {
    fail(failure, wakes, release);
    throw;
  } catch (const std::bad_alloc &) {
    const Failure failure(NXS_OutOfHostMemory,
                          "There was no memory for the steps of a copy between devices.");
    fail(failure, wakes, release);
    throw failure;
  }
}

CrossDeviceCopy::CrossDeviceCopy(Part source, Part destination, WorkName name)
    : name_(std::move(name)), source_{std::move(source)}, destination_{std::move(destination)} {}

// ---- Its place in queues --------------------------------------------------------

Queue::Work CrossDeviceCopy::workAt(std::size_t index) {
  return {[self = Ref(this), index](Queue &) { return self->open(index); },
          [self = Ref(this)](const Failure &cause) { self->closed(cause); }};
}

// It comes after all submitted work that uses the memory, but for that in its own queues.
void CrossDeviceCopy::followUses(Side &side, DeferredWakes &wakes) {
  for (const QueuedWork &use : side.part.memory->pending()) {
    const bool own =
        std::any_of(blocked_.begin(), blocked_.end(),
                    [&](const BlockedQueue &blocked) { return blocked.queue == use.queue; });
    if (!own) side.before.push_back(eventAfter(use, wakes));
  }
}

QueuePosition CrossDeviceCopy::enqueue(Queue &queue, DeferredWakes &wakes) {
  queue.throwIfFailed();
  blocked_.push_back({Ref(queue)});
  followUses(&queue.device() == &source_.device() ? destination_ : source_, wakes);
  const QueuePosition position = queue.hold(workAt(0), wakes);
  for (Side *side : {&source_, &destination_}) {
    side->part.memory->inFlight().note(queue, position);
  }
  return position;
}

std::array<QueuePosition, 2> CrossDeviceCopy::enqueue(Queue &of_source, Queue &of_destination,
                                                      DeferredWakes &wakes) {
  const std::array<Queue *, 2> queues{&of_source, &of_destination};
  for (Queue *queue : queues) {
    queue->throwIfFailed();
    blocked_.push_back({Ref(queue)});
  }
  followUses(source_, wakes);
  followUses(destination_, wakes);
  const std::array<QueuePosition, 2> positions =
      Queue::holdInBoth(queues, {workAt(0), workAt(1)}, wakes);
  source_.part.memory->inFlight().note(of_source, positions[0]);
  destination_.part.memory->inFlight().note(of_destination, positions[1]);
  return positions;
}

// All that is ahead in the queue was submitted. 0 where the queue may go on.
std::optional<nxs_ticket> CrossDeviceCopy::open(std::size_t index) {
  return locked([&](DeferredWakes &wakes, DeferredRelease &) -> std::optional<nxs_ticket> {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (state_ == State::Done) {
      return 0;
    }
    blocked_[index].reached = true;
    const bool all = std::all_of(blocked_.begin(), blocked_.end(),
                                 [](const BlockedQueue &each) { return each.reached; });
    if (state_ == State::Waiting && all) begin(wakes);
    return std::nullopt;
  });
}

// A queue that it stands in has failed or was closed. What has begun goes on.
void CrossDeviceCopy::closed(const Failure &cause) {
  locked([&](DeferredWakes &wakes, DeferredRelease &release) {
    if (state_ == State::Waiting) fail(cause, wakes, release);
  });
}

// ---- Its beginning --------------------------------------------------------------

void CrossDeviceCopy::begin(DeferredWakes &wakes) {
  ofProcess<CopyThread>().start();
  state_ = State::Begun;
  for (Side *side : {&source_, &destination_}) {
    side->copy_queue = side->device().queues().takeSpare();
  }
  for (const BlockedQueue &blocked : blocked_) {
    follow(&blocked.queue->device() == &source_.device() ? source_ : destination_, *blocked.queue,
           wakes);
  }
  for (Side *side : {&source_, &destination_}) {
    for (const Ref<Event> &event : std::exchange(side->before, {})) {
      enqueueWait(*side->copy_queue, *event, 1, wakes);
    }
    findAddress(*side, wakes);
  }
  findReach();
  for (Side *side : {&source_, &destination_}) {
    const QueuePosition position = side->copy_queue->hold(workIn(*side), wakes);
    side->part.memory->inFlight().note(*side->copy_queue, position);
  }
}

// The copy queue waits for what was submitted to the queue, which takes nothing more until the copy
// ends.
void CrossDeviceCopy::follow(Side &side, Queue &queue, DeferredWakes &wakes) {
  if (queue.state(queue.newestTicket()) == NXS_CompletionState_Completed) {
    return;
  }
  const Ref<Event> passed = make<Event>(queue.device(), NXS_EventType_Shared);
  submitHeld(queue, [&](Queue &into) { return passed->submitSignal(into, 1, wakes); });
  enqueueWait(*side.copy_queue, *passed, 1, wakes);
}

void CrossDeviceCopy::findAddress(Side &side, DeferredWakes &wakes) {
  const NativeBuffer::Mapping mapping = side.part.memory->addressIn(*side.copy_queue);
  if (mapping.address == nullptr) {
    return;
  }
  if (mapping.use.queue && mapping.use.queue != side.copy_queue) {
    enqueueWait(*side.copy_queue, *eventOfHost(mapping.use), 1, wakes);
  }
  side.address = static_cast<unsigned char *>(mapping.address) + side.part.range.offset;
}

// The destination's device copies where it can, as it does from memory that the host sees.
void CrossDeviceCopy::findReach() {
  if (source_.address != nullptr || destination_.address != nullptr) {
    return;
  }
  source_.reached = source_.part.memory->reachedFrom(destination_.device());
  if (source_.reached == 0) {
    destination_.reached = destination_.part.memory->reachedFrom(source_.device());
  }
}

Queue::Work CrossDeviceCopy::workIn(Side &side) {
  return {[self = Ref(this), &side](Queue &) { return self->arm(side); },
          [self = Ref(this)](const Failure &cause) { self->lost(cause); }};
}

// All that is ahead in the copy queue was submitted. A ticket where the copy queue may go on.
std::optional<nxs_ticket> CrossDeviceCopy::arm(Side &side) {
  return locked([&](DeferredWakes &wakes, DeferredRelease &release) {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (!side.armed) {
      side.armed = true;
      if (source_.armed && destination_.armed) ofProcess<CopyThread>().began();
      side.ahead = side.copy_queue->newestTicket();
      if (!hasArrived(side)) tellWhenDone(*side.copy_queue);
      advance(wakes, release);
    }
    return side.last;
  });
}

// A copy queue has failed before its turn, or the process ends.
void CrossDeviceCopy::lost(const Failure &cause) {
  locked([&](DeferredWakes &wakes, DeferredRelease &release) { fail(cause, wakes, release); });
}

// ---- Its course -----------------------------------------------------------------

void CrossDeviceCopy::moveOn() noexcept {
  try {
    locked([&](DeferredWakes &wakes, DeferredRelease &release) { advance(wakes, release); });
  } catch (const std::exception &) {
    // The queues that it stands in tell.
  }
}

bool CrossDeviceCopy::hasArrived(Side &side) {
  side.arrived = side.arrived || (side.armed && isDone(*side.copy_queue, side.ahead));
  return side.arrived;
}

// Whether a copy queue's work is complete. Throws why it failed.
bool CrossDeviceCopy::isDone(Queue &copy_queue, nxs_ticket ticket) {
  const nxs_completion_state state = copy_queue.state(ticket);
  if (state == NXS_CompletionState_Failed) copy_queue.throwFailure(ticket);
  return state == NXS_CompletionState_Completed;
}

// Calls the copy thread when all that was submitted to the copy queue is done.
void CrossDeviceCopy::tellWhenDone(Queue &copy_queue) {
  if (!copy_queue.device().plugin().has(NXS_Capability_HostCallback)) {
    whenDoneLater({{Ref(copy_queue), copy_queue.newestTicket()}},
                  [self = Ref(this)] { ofProcess<CopyThread>().call(self); });
    return;
  }
  Ref<CrossDeviceCopy> self(this);
  submitHeld(copy_queue, [&](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::EnqueueHostCallback,
                                "call back after a step of a copy between devices", into.id(),
                                &wakeCopyThread, static_cast<void *>(self.get()), &ticket);
    return ticket;
  });
  static_cast<void>(self.detach());  // the plug-in's
}

// ---- Its end --------------------------------------------------------------------

void CrossDeviceCopy::finish(DeferredWakes &wakes, DeferredRelease &release) {
  state_ = State::Done;
  for (Side *side : {&source_, &destination_}) {
    if (!side->last) side->last = 0;
    wakes.add(*side->copy_queue);
    release.usable.push_back(side->copy_queue);
  }
  for (const BlockedQueue &blocked : blocked_) {
    wakes.add(*blocked.queue);
  }
  Chunks chunks;
  for (Stage &stage : std::exchange(stages_, {})) {
    chunks.push_back(std::move(stage.chunk));
  }
  ofProcess<Staging>().give(std::move(chunks));
  ofProcess<CopyThread>().ended();
}

void CrossDeviceCopy::fail(const Failure &cause, DeferredWakes &wakes, DeferredRelease &release) {
  if (state_ == State::Done || state_ == State::Failed) {
    return;
  }
  if (source_.armed && destination_.armed) ofProcess<CopyThread>().ended();
  state_ = State::Failed;
  cause_ = cause;
  for (const BlockedQueue &blocked : blocked_) {
    wakes.add(*blocked.queue);
  }
  for (Side *side : {&source_, &destination_}) {
    if (side->copy_queue) release.copy_queues.push_back(side->copy_queue);
    release.memories.push_back(side->part.memory);
  }
  if (!stages_.empty()) {
    release.chunks = std::make_shared<Chunks>();
    for (Stage &stage : std::exchange(stages_, {})) {
      release.chunks->push_back(std::move(stage.chunk));
    }
  }
}

}  // namespace nexus::core
