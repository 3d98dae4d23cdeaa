// SPDX-License-Identifier: Apache-2.0
//
// Copies between devices: order, completion and failure.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/process.hpp"
#include "memory/cross_device_copy.hpp"
#include "stream/own_work.hpp"
#include "stream/stream.hpp"

namespace nexus::core {

/// Resources of a failed copy that submitted work may still use.
struct StillInUse {
  std::vector<Ref<Queue>> copy_queues;
  Chunks chunks;
  std::vector<Ref<Memory>> memories;
};

namespace {

void releaseWhenDone(const std::shared_ptr<StillInUse> &in_use);

// Called after waiting for the copy queues. If a driver does not answer, its work may still use the
// memory, which is then leaked.
void releaseOrKeep(const std::shared_ptr<StillInUse> &in_use) {
  bool running = false;
  try {
    for (const Ref<Queue> &copy_queue : in_use->copy_queues) {
      running =
          running || copy_queue->state(copy_queue->newestTicket()) == NXS_CompletionState_Running;
    }
  } catch (const std::exception &) {
    static_cast<void>(new std::shared_ptr<StillInUse>(in_use));  // leaked
    return;
  }
  if (running) {
    releaseWhenDone(in_use);
  } else {
    ofProcess<Staging>().drop(std::move(in_use->chunks));
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

/// Releases the resources of a copy after its mutex was unlocked: copy queues, for reuse if the
/// copy succeeded, and whatever a failed copy's submitted work may still use.
struct DeferredRelease {
  std::vector<Ref<Queue>> usable;
  StillInUse in_use;

  ~DeferredRelease() {
    for (Ref<Queue> &copy_queue : usable) copy_queue->device().queues().giveSpare(copy_queue);
    for (const Ref<Queue> &copy_queue : in_use.copy_queues) {
      copy_queue->device().queues().end(*copy_queue);
    }
    if (!in_use.copy_queues.empty()) {
      releaseWhenDone(std::make_shared<StillInUse>(std::move(in_use)));
    }
  }
};

// Runs a step under the mutex. If the step throws, the copy fails. Releases resources and wakes
// queues after unlocking.
template <typename Step>
auto CrossDeviceCopy::locked(Step step) {
  const OwnWork::Hold until_woken;  // what the queues do next may be counted too
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
    : name_(std::move(name)), source_{std::move(source)}, destination_{std::move(destination)} {
  source_.other = destination_.part.memory->device();
  destination_.other = source_.part.memory->device();
}

// ---- The queues in which it is enqueued -----------------------------------------

Queue::Work CrossDeviceCopy::workInQueue(std::size_t index) {
  return {[self = Ref(this), index](Queue &) { return self->queueReached(index); },
          [self = Ref(this)](const Failure &cause) { self->queueFailed(cause); }};
}

// Orders the copy after all submitted work that uses the memory, except in the queues that it
// blocks.
void CrossDeviceCopy::orderAfterOtherUses(Side &side, DeferredWakes &wakes) {
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
  const bool of_source = &queue.device() == &source_.device() && !source_.isHost();
  orderAfterOtherUses(of_source ? destination_ : source_, wakes);
  const QueuePosition position = queue.hold(workInQueue(0), wakes);
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
  orderAfterOtherUses(source_, wakes);
  orderAfterOtherUses(destination_, wakes);
  const std::array<QueuePosition, 2> positions =
      Queue::holdInBoth(queues, {workInQueue(0), workInQueue(1)}, wakes);
  source_.part.memory->inFlight().note(of_source, positions[0]);
  destination_.part.memory->inFlight().note(of_destination, positions[1]);
  return positions;
}

// Called when all earlier work in a blocked queue was submitted. Returns 0 when the queue may go
// on.
std::optional<nxs_ticket> CrossDeviceCopy::queueReached(std::size_t index) {
  return locked([&](DeferredWakes &wakes, DeferredRelease &) -> std::optional<nxs_ticket> {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (state_ == State::Done) return 0;
    blocked_[index].reached = true;
    const bool all = std::all_of(blocked_.begin(), blocked_.end(),
                                 [](const BlockedQueue &each) { return each.reached; });
    if (state_ == State::Waiting && all) begin(wakes);
    return std::nullopt;
  });
}

// A blocked queue has failed or was closed. A copy that has begun goes on.
void CrossDeviceCopy::queueFailed(const Failure &cause) {
  locked([&](DeferredWakes &wakes, DeferredRelease &release) {
    if (state_ == State::Waiting) fail(cause, wakes, release);
  });
}

// ---- Begin ----------------------------------------------------------------------

void CrossDeviceCopy::begin(DeferredWakes &wakes) {
  ofProcess<CopyThread>().start();
  state_ = State::Begun;
  for (Side *side : {&source_, &destination_}) {
    side->copy_queue = side->device().queues().takeSpare();
  }
  for (const BlockedQueue &blocked : blocked_) {
    orderAfterQueue(&blocked.queue->device() == &source_.device() ? source_ : destination_,
                    *blocked.queue, wakes);
  }
  for (Side *side : {&source_, &destination_}) {
    for (const Ref<Event> &event : std::exchange(side->before, {})) {
      enqueueWait(*side->copy_queue, *event, 1, wakes);
    }
    findAddress(*side, wakes);
  }
  findReach();
  for (Side *side : {&source_, &destination_}) {
    const QueuePosition position = side->copy_queue->hold(workInCopyQueue(*side), wakes);
    side->part.memory->inFlight().note(*side->copy_queue, position);
  }
}

// Makes the copy queue wait for the work submitted to a blocked queue, which gets no more until the
// copy is done.
void CrossDeviceCopy::orderAfterQueue(Side &side, Queue &queue, DeferredWakes &wakes) {
  if (queue.state(queue.newestTicket()) == NXS_CompletionState_Completed) return;
  const Ref<Event> earlier_done = make<Event>(queue.device(), NXS_EventType_Shared);
  submitHeld(queue, [&](Queue &into) { return earlier_done->submitSignal(into, 1, wakes); });
  enqueueWait(*side.copy_queue, *earlier_done, 1, wakes);
}

void CrossDeviceCopy::findAddress(Side &side, DeferredWakes &wakes) {
  const NativeBuffer::Mapping mapping = side.part.memory->addressIn(*side.copy_queue);
  if (mapping.address == nullptr) return;
  if (mapping.use.queue && mapping.use.queue != side.copy_queue) {
    enqueueWait(*side.copy_queue, *hostEventAfter(mapping.use), 1, wakes);
  }
  side.address = static_cast<unsigned char *>(mapping.address) + side.part.range.offset;
}

// Prefers the destination's device as the one that copies.
void CrossDeviceCopy::findReach() {
  if (source_.address != nullptr || destination_.address != nullptr) return;
  source_.peer_buffer = source_.part.memory->reachedFrom(destination_.device());
  if (source_.peer_buffer == 0) {
    destination_.peer_buffer = destination_.part.memory->reachedFrom(source_.device());
  }
}

Queue::Work CrossDeviceCopy::workInCopyQueue(Side &side) {
  return {[self = Ref(this), &side](Queue &) { return self->copyQueueReached(side); },
          [self = Ref(this)](const Failure &cause) { self->copyQueueFailed(cause); }};
}

// Called when all earlier work in the copy queue was submitted. Returns a ticket when the copy
// queue may go on.
std::optional<nxs_ticket> CrossDeviceCopy::copyQueueReached(Side &side) {
  return locked([&](DeferredWakes &wakes, DeferredRelease &release) {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (!side.armed) {
      side.armed = true;
      if (source_.armed && destination_.armed) ofProcess<OwnWork>().add();
      side.earlier = side.copy_queue->newestTicket();
      if (!isReady(side)) enqueueWhenDone(*side.copy_queue);
      advance(wakes, release);
    }
    return side.last;
  });
}

// Held work of the copy queue was cancelled: it failed, or the process ends.
void CrossDeviceCopy::copyQueueFailed(const Failure &cause) {
  locked([&](DeferredWakes &wakes, DeferredRelease &release) { fail(cause, wakes, release); });
}

// ---- Steps ----------------------------------------------------------------------

void CrossDeviceCopy::submitSteps() noexcept {
  try {
    locked([&](DeferredWakes &wakes, DeferredRelease &release) { advance(wakes, release); });
  } catch (const std::exception &) {
    // The blocked queues report it.
  }
}

bool CrossDeviceCopy::isReady(Side &side) {
  side.ready = side.ready || (side.armed && isDone(*side.copy_queue, side.earlier));
  return side.ready;
}

// Returns whether a copy queue's work is complete. Throws its failure.
bool CrossDeviceCopy::isDone(Queue &copy_queue, nxs_ticket ticket) {
  const nxs_completion_state state = copy_queue.state(ticket);
  if (state == NXS_CompletionState_Failed) copy_queue.throwFailure(ticket);
  return state == NXS_CompletionState_Completed;
}

// Enqueues this in the CopyThread when all work submitted to the copy queue is done.
void CrossDeviceCopy::enqueueWhenDone(Queue &copy_queue) {
  if (!copy_queue.device().plugin().has(NXS_Capability_HostCallback)) {
    whenDoneLater({{Ref(copy_queue), copy_queue.newestTicket()}},
                  [self = Ref(this)] { ofProcess<CopyThread>().enqueue(self); });
    return;
  }
  Ref<CrossDeviceCopy> self(this);
  submitHeld(copy_queue, [&](Queue &into) {
    return into.call(&nxs_functions::EnqueueHostCallback,
                     "call back after a step of a copy between devices", into.id(), &wakeCopyThread,
                     static_cast<void *>(self.get()));
  });
  static_cast<void>(self.detach());  // now owned by the plug-in
}

// ---- End ------------------------------------------------------------------------

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
  ofProcess<OwnWork>().remove();
}

void CrossDeviceCopy::fail(const Failure &cause, DeferredWakes &wakes, DeferredRelease &release) {
  if (state_ == State::Done || state_ == State::Failed) return;
  if (source_.armed && destination_.armed) ofProcess<OwnWork>().remove();
  state_ = State::Failed;
  cause_ = cause;
  for (const BlockedQueue &blocked : blocked_) {
    wakes.add(*blocked.queue);
  }
  for (Side *side : {&source_, &destination_}) {
    if (side->copy_queue) release.in_use.copy_queues.push_back(side->copy_queue);
    release.in_use.memories.push_back(side->part.memory);
  }
  for (Stage &stage : std::exchange(stages_, {})) {
    release.in_use.chunks.push_back(std::move(stage.chunk));
  }
}

}  // namespace nexus::core
