// SPDX-License-Identifier: Apache-2.0
//
// What a copy between devices comes after, and its end.
#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/process.hpp"
#include "memory/courier.hpp"
#include "memory/crossing.hpp"
#include "stream/device_queues.hpp"

namespace nexus::core {

namespace {

/// What the work of a copy that failed uses, while it may still run.
struct Kept {
  std::vector<Ref<Queue>> lanes;
  std::shared_ptr<Chunks> chunks;
  std::vector<Ref<Memory>> memories;
};

void endWhenDone(const std::shared_ptr<Kept> &kept);

// The lanes were waited for. A driver that does not answer may still use the memory, so that stays.
void endOrKeep(const std::shared_ptr<Kept> &kept) {
  bool running = false;
  try {
    for (const Ref<Queue> &lane : kept->lanes) {
      running = running || lane->state(lane->newestTicket()) == NXS_CompletionState_Running;
    }
  } catch (const std::exception &) {
    static_cast<void>(new std::shared_ptr<Kept>(kept));  // until the end of the process
    return;
  }
  if (running) {
    endWhenDone(kept);
  } else if (kept->chunks) {
    ofProcess<Staging>().drop(std::move(*kept->chunks));
  }
}

void endWhenDone(const std::shared_ptr<Kept> &kept) {
  std::vector<Use> uses;
  for (const Ref<Queue> &lane : kept->lanes) {
    uses.push_back({lane, lane->newestTicket()});
  }
  whenDone(std::move(uses), [kept] { endOrKeep(kept); });
}

}  // namespace

/// What is left of a copy at its end: the lanes, and of one that failed what their work, which may
/// still run, uses. Ends without the crossing's mutex.
struct Remains {
  std::vector<Ref<Queue>> usable;
  std::vector<Ref<Queue>> lanes;
  std::shared_ptr<Chunks> chunks;
  std::vector<Ref<Memory>> memories;

  ~Remains() {
    for (Ref<Queue> &lane : usable) lane->device().queues().giveSpare(lane);
    if (lanes.empty()) {
      return;
    }
    for (const Ref<Queue> &lane : lanes) {
      lane->end();
    }
    endWhenDone(std::make_shared<Kept>(Kept{lanes, chunks, memories}));
  }
};

// Runs a step under the mutex. A failure of the step is the copy's; what follows from it, and the
// waking of others, comes after the unlock.
template <typename Step>
auto Crossing::locked(Step step) {
  Wakes wakes;
  Remains remains;
  const Lock lock(mutex_);
  try {
    return step(wakes, remains);
  } catch (const Failure &failure) {
    fail(failure, wakes, remains);
    throw;
  } catch (const std::bad_alloc &) {
    const Failure failure(NXS_OutOfHostMemory,
                          "There was no memory for the steps of a copy between devices.");
    fail(failure, wakes, remains);
    throw failure;
  }
}

Crossing::Crossing(Part source, Part destination, WorkName name)
    : name_(std::move(name)), source_{std::move(source)}, destination_{std::move(destination)} {}

// ---- Its place in queues --------------------------------------------------------

Queue::Work Crossing::workAt(std::size_t gate) {
  return {[self = Ref(this), gate](Queue &) { return self->open(gate); },
          [self = Ref(this)](const Failure &cause) { self->closed(cause); }};
}

// It comes after all submitted work that uses the memory, but for that in its own queues.
void Crossing::followUses(End &end, Wakes &wakes) {
  for (const Use &use : end.part.memory->pending()) {
    const bool own = std::any_of(gates_.begin(), gates_.end(),
                                 [&](const Gate &gate) { return gate.queue == use.queue; });
    if (!own) end.before.push_back(eventAfter(use, wakes));
  }
}

Position Crossing::enqueue(Queue &queue, Wakes &wakes) {
  queue.throwIfFailed();
  gates_.push_back({Ref(queue)});
  followUses(&queue.device() == &source_.device() ? destination_ : source_, wakes);
  const Position position = queue.hold(workAt(0), wakes);
  for (End *end : {&source_, &destination_}) {
    end->part.memory->uses().note(queue, position);
  }
  return position;
}

std::array<Position, 2> Crossing::enqueue(Queue &of_source, Queue &of_destination, Wakes &wakes) {
  const std::array<Queue *, 2> queues{&of_source, &of_destination};
  for (Queue *queue : queues) {
    queue->throwIfFailed();
    gates_.push_back({Ref(queue)});
  }
  followUses(source_, wakes);
  followUses(destination_, wakes);
  const std::array<Position, 2> positions =
      Queue::holdInBoth(queues, {workAt(0), workAt(1)}, wakes);
  source_.part.memory->uses().note(of_source, positions[0]);
  destination_.part.memory->uses().note(of_destination, positions[1]);
  return positions;
}

// All that is ahead in the queue was submitted. 0 where the queue may go on.
std::optional<nxs_ticket> Crossing::open(std::size_t gate) {
  return locked([&](Wakes &wakes, Remains &) -> std::optional<nxs_ticket> {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (state_ == State::Done) {
      return 0;
    }
    gates_[gate].open = true;
    const bool all =
        std::all_of(gates_.begin(), gates_.end(), [](const Gate &each) { return each.open; });
    if (state_ == State::Waiting && all) begin(wakes);
    return std::nullopt;
  });
}

// A queue that it stands in has failed or was closed. What has begun goes on.
void Crossing::closed(const Failure &cause) {
  locked([&](Wakes &wakes, Remains &remains) {
    if (state_ == State::Waiting) fail(cause, wakes, remains);
  });
}

// ---- Its beginning --------------------------------------------------------------

void Crossing::begin(Wakes &wakes) {
  ofProcess<Courier>().start();
  state_ = State::Begun;
  for (End *end : {&source_, &destination_}) {
    end->lane = end->device().queues().takeSpare();
  }
  for (const Gate &gate : gates_) {
    follow(&gate.queue->device() == &source_.device() ? source_ : destination_, *gate.queue, wakes);
  }
  for (End *end : {&source_, &destination_}) {
    for (const Ref<Event> &event : std::exchange(end->before, {})) {
      enqueueWait(*end->lane, *event, 1, wakes);
    }
    findAddress(*end, wakes);
  }
  findReach();
  for (End *end : {&source_, &destination_}) {
    const Position position = end->lane->hold(workIn(*end), wakes);
    end->part.memory->uses().note(*end->lane, position);
  }
}

// The lane waits for what was submitted to the queue, which takes nothing more until the copy ends.
void Crossing::follow(End &end, Queue &queue, Wakes &wakes) {
  if (queue.state(queue.newestTicket()) == NXS_CompletionState_Completed) {
    return;
  }
  const Ref<Event> passed = make<Event>(queue.device(), NXS_EventType_Shared);
  submitHeld(queue, [&](Queue &into) { return passed->submitSignal(into, 1, wakes); });
  enqueueWait(*end.lane, *passed, 1, wakes);
}

void Crossing::findAddress(End &end, Wakes &wakes) {
  const NativeBuffer::Mapping mapping = end.part.memory->addressIn(*end.lane);
  if (mapping.address == nullptr) {
    return;
  }
  if (mapping.use.queue && mapping.use.queue != end.lane) {
    enqueueWait(*end.lane, *eventOfHost(mapping.use), 1, wakes);
  }
  end.address = static_cast<unsigned char *>(mapping.address) + end.part.range.offset;
}

// The destination's device copies where it can, as it does from memory that the host sees.
void Crossing::findReach() {
  if (source_.address != nullptr || destination_.address != nullptr) {
    return;
  }
  source_.reached = source_.part.memory->reachedFrom(destination_.device());
  if (source_.reached == 0) {
    destination_.reached = destination_.part.memory->reachedFrom(source_.device());
  }
}

Queue::Work Crossing::workIn(End &end) {
  return {[self = Ref(this), &end](Queue &) { return self->arm(end); },
          [self = Ref(this)](const Failure &cause) { self->lost(cause); }};
}

// All that is ahead in the lane was submitted. A ticket where the lane may go on.
std::optional<nxs_ticket> Crossing::arm(End &end) {
  return locked([&](Wakes &wakes, Remains &remains) {
    if (state_ == State::Failed) {
      throw *cause_;
    }
    if (!end.armed) {
      end.armed = true;
      if (source_.armed && destination_.armed) ofProcess<Courier>().began();
      end.ahead = end.lane->newestTicket();
      if (!hasArrived(end)) tellWhenDone(*end.lane);
      advance(wakes, remains);
    }
    return end.last;
  });
}

// A lane has failed before its turn, or the process ends.
void Crossing::lost(const Failure &cause) {
  locked([&](Wakes &wakes, Remains &remains) { fail(cause, wakes, remains); });
}

// ---- Its course -----------------------------------------------------------------

void Crossing::moveOn() noexcept {
  try {
    locked([&](Wakes &wakes, Remains &remains) { advance(wakes, remains); });
  } catch (const std::exception &) {
    // The queues that it stands in tell.
  }
}

bool Crossing::hasArrived(End &end) {
  end.arrived = end.arrived || (end.armed && isDone(*end.lane, end.ahead));
  return end.arrived;
}

// Whether a lane's work is complete. Throws why it failed.
bool Crossing::isDone(Queue &lane, nxs_ticket ticket) {
  const nxs_completion_state state = lane.state(ticket);
  if (state == NXS_CompletionState_Failed) lane.throwFailure(ticket);
  return state == NXS_CompletionState_Completed;
}

// Calls the courier when all that was submitted to the lane is done.
void Crossing::tellWhenDone(Queue &lane) {
  if (!lane.device().plugin().has(NXS_Capability_HostCallback)) {
    whenDoneLater({{Ref(lane), lane.newestTicket()}},
                  [self = Ref(this)] { ofProcess<Courier>().call(self); });
    return;
  }
  Ref<Crossing> self(this);
  submitHeld(lane, [&](Queue &into) {
    nxs_ticket ticket = 0;
    into.device().plugin().call(&nxs_functions::EnqueueHostCallback,
                                "call back after a step of a copy between devices", into.id(),
                                &callCourier, static_cast<void *>(self.get()), &ticket);
    return ticket;
  });
  static_cast<void>(self.detach());  // the plug-in's
}

// ---- Its end --------------------------------------------------------------------

void Crossing::finish(Wakes &wakes, Remains &remains) {
  state_ = State::Done;
  for (End *end : {&source_, &destination_}) {
    if (!end->last) end->last = 0;
    wakes.add(*end->lane);
    remains.usable.push_back(end->lane);
  }
  for (const Gate &gate : gates_) {
    wakes.add(*gate.queue);
  }
  Chunks chunks;
  for (Stage &stage : std::exchange(stages_, {})) {
    chunks.push_back(std::move(stage.chunk));
  }
  ofProcess<Staging>().give(std::move(chunks));
  ofProcess<Courier>().ended();
}

void Crossing::fail(const Failure &cause, Wakes &wakes, Remains &remains) {
  if (state_ == State::Done || state_ == State::Failed) {
    return;
  }
  if (source_.armed && destination_.armed) ofProcess<Courier>().ended();
  state_ = State::Failed;
  cause_ = cause;
  for (const Gate &gate : gates_) {
    wakes.add(*gate.queue);
  }
  for (End *end : {&source_, &destination_}) {
    if (end->lane) remains.lanes.push_back(end->lane);
    remains.memories.push_back(end->part.memory);
  }
  if (!stages_.empty()) {
    remains.chunks = std::make_shared<Chunks>();
    for (Stage &stage : std::exchange(stages_, {})) {
      remains.chunks->push_back(std::move(stage.chunk));
    }
  }
}

}  // namespace nexus::core
