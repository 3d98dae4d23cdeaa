// SPDX-License-Identifier: Apache-2.0
//
// Streams and events: tickets, what they answer, and what work comes before what.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error_record.hpp"
#include "layers/validate/checks.hpp"

namespace nexus::core::layers::validation {
namespace {

struct Doing {
  const char *now, *still;
};

Doing doing(Access access) {
  switch (access) {
    case Access::Read:
      return {"reads", "may still read"};
    case Access::Write:
      return {"writes", "may still write"};
    default:
      return {"may write", "may still use"};
  }
}

std::string memoryText(const Objects &objects, const Use &use) {
  if (use.buffer == 0) {
    return join(use.end - use.begin, " bytes of host memory");
  }
  const auto buffer = objects.buffers.find(use.buffer);
  const uint64_t base = buffer == nullptr ? 0 : buffer->base;
  return join("the bytes ", use.begin - base, " to ", use.end - base - 1, " of ",
              idText(use.buffer),
              buffer == nullptr ? std::string() : placeNote("made at", buffer->place));
}

Finding findingOf(const Objects &objects, const Conflict &conflict, nxs_id stream) {
  const Use &use = conflict.use;
  const Noted &earlier = conflict.earlier;
  const bool of_host = use.space == 0 && (use.buffer == 0 || earlier.use.buffer == 0);
  const Message message = of_host            ? Message::HostMemory
                          : conflict.certain ? Message::Hazard
                                             : Message::PossibleHazard;
  return {message, NXS_InvalidOperation,
          join("it ", doing(use.access).now, " ", memoryText(objects, use), " in ", idText(stream),
               ", and ", earlier.function, placeNote("at", earlier.place), " ",
               doing(earlier.use.access).still, " them in ", idText(earlier.stream))};
}

// Looks for a conflict; the finding is told after the lock is gone.
void findConflict(Call &call, Objects &objects) {
  const nxs_id stream = call.given.stream;
  if (call.uses.empty()) {
    return;
  }
  if (const auto conflict = objects.order.conflict(call.uses, stream, call.schedule)) {
    Finding finding = findingOf(objects, *conflict, stream);
    call.find(finding.message, finding.status, std::move(finding.text));
  }
}

// Nanoseconds by which a wait may end too early: clocks differ.
constexpr uint64_t kEarly = 1'000'000;

bool isState(nxs_completion_state state) {
  return state >= NXS_CompletionState_Running && state <= NXS_CompletionState_Failed;
}

void checkState(Call &call, const nxs_completion &completion) {
  if (!isState(completion.state)) {
    call.blame(Message::Completion, join("it answered the state ", completion.state));
  }
}

void checkTime(Call &call, uint64_t timeout, const nxs_completion &completion) {
  const auto passed = static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - call.begin).count());
  if (completion.state == NXS_CompletionState_Running && passed < timeout &&
      timeout - passed > kEarly) {
    call.blame(Message::EarlyWait,
               join("it answered Running after ", passed, " ns, and timeout is ", timeout));
  }
}

// Told once for each stream: its later work fails with the same cause.
void checkFailure(Call &call, nxs_id stream, const nxs_completion &completion) {
  if (completion.state != NXS_CompletionState_Failed || completion.status != NXS_InvalidMemObject) {
    return;
  }
  {
    const Locked objects;
    const auto facts = objects->streams.find(stream);
    if (facts == nullptr || std::exchange(facts->failure_told, true)) return;
  }
  const auto record = findErrorRecord(completion.error);
  report(call.tag(), call.function(),
         {Message::OutOfBounds, completion.status, record ? record->text : std::string()}, false);
}

void beforeAnswer(Call &call) {
  const Given &given = call.given;
  {
    const Locked objects;
    const auto facts = objects->streams.find(given.stream);
    if (facts == nullptr) return;
    call.newest_before = facts->newest;
    call.completed_before = facts->completed;
    if (facts->submitting != 0) return;  // the ticket may be one that is being given
  }
  if (given.ticket > call.newest_before) {
    call.find(Message::Ticket, NXS_InvalidValue,
              join("ticket is ", given.ticket, ", and the newest of ", idText(given.stream), " is ",
                   call.newest_before));
  }
}

void afterAnswer(Call &call, const nxs_completion &completion) {
  const nxs_id stream = call.given.stream;
  const nxs_ticket ticket = call.given.ticket;
  const Locked objects;
  const auto facts = objects->streams.find(stream);
  if (facts == nullptr) {
    return;
  }
  const nxs_ticket asked = ticket != 0 ? ticket : call.newest_before;
  const bool completed = completion.state == NXS_CompletionState_Completed;
  if (!completed && ticket != 0 && ticket <= call.completed_before) {
    call.blame(Message::Completion,
               join("ticket ", ticket, " of ", idText(stream),
                    " was complete, and now has the state ", completion.state));
  } else if (completion.completed < call.completed_before) {
    call.blame(Message::Completion,
               join("completed is ", completion.completed, ", and was ", call.completed_before));
  } else if (facts->submitting == 0 && completion.completed > facts->newest) {
    call.blame(Message::Completion, join("completed is ", completion.completed,
                                         ", and the newest ticket ", facts->newest));
    return;
  }
  facts->completed = std::max({facts->completed, completion.completed, completed ? asked : 0});
  const bool done = completion.state != NXS_CompletionState_Running;
  objects->order.observe(stream, std::max(completion.completed, done ? asked : 0));
}

void beforeEvent(Call &call, nxs_id event) {
  bool signalled = true;
  call.event = {};
  {
    const Locked objects;
    const auto facts = objects->events.find(event);
    if (facts == nullptr || facts->imported) return;
    call.event = *facts;
    signalled = facts->signalled;
  }
  if (!signalled) {
    call.find(Message::NeverSignalled, NXS_InvalidOperation,
              join(idText(event), " was never signalled"));
  }
}

void afterEvent(Call &call, const nxs_completion &completion) {
  const nxs_id event = call.given.event;
  if (call.event.happened && completion.state == NXS_CompletionState_Running) {
    const Locked objects;
    const auto facts = objects->events.find(event);
    // Another thread may have signalled it meanwhile.
    if (facts != nullptr && facts->happened && facts->ticket == call.event.ticket) {
      call.blame(Message::Completion,
                 join("the newest signal of ", idText(event), " had happened, and now has not"));
    }
  }
  if (completion.state == NXS_CompletionState_Running || !call.event.signalled) {
    return;
  }
  const Locked objects;
  objects->order.observe(call.event.stream, call.event.ticket);
  const auto facts = objects->events.find(event);
  if (facts != nullptr && facts->stream == call.event.stream &&
      facts->ticket == call.event.ticket) {
    facts->happened = completion.state == NXS_CompletionState_Completed;
  }
}

void checkElapsed(Call &call) {
  const Given &given = call.given;
  const Locked objects;
  const auto start = objects->events.find(given.event);
  const auto end = objects->events.find(given.end_event);
  if (start == nullptr || end == nullptr) return;
  const bool in_order = start->stream == end->stream && start->ticket <= end->ticket;
  if (!std::isfinite(*given.nanoseconds) || (in_order && *given.nanoseconds < 0)) {
    call.blame(Message::Time, join("it gave ", *given.nanoseconds, " ns from ", idText(given.event),
                                   " to ", idText(given.end_event)));
  }
}

// Nobody can ask it later, so what it has done by now is asked here.
void askLast(Call &call, nxs_id stream) {
  nxs_ticket newest = 0;
  {
    const Locked objects;
    const auto facts = objects->streams.find(stream);
    if (facts == nullptr) return;
    newest = facts->newest;
  }
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  if (call.next().QueryStream(stream, newest, &completion) != NXS_Success) {
    return;
  }
  checkFailure(call, stream, completion);
  const bool done = completion.state != NXS_CompletionState_Running;
  const Locked objects;
  objects->order.observe(stream, done ? newest : completion.completed);
}

// Where NEXUS_VALIDATE is `raise`, looks for conflicts before the call.
void beforeSubmission(Call &call) {
  const Locked objects;
  const auto facts = objects->streams.find(call.given.stream);
  if (facts == nullptr) return;
  call.newest_before = facts->newest;
  call.submitting = facts;
  ++facts->submitting;
  if (raises()) findConflict(call, *objects);
}

// Checks the ticket, looks for conflicts, and notes the uses.
void afterSubmission(Call &call, Objects &objects, nxs_ticket ticket, const Place &place) {
  const nxs_id stream = call.given.stream;
  const auto facts = objects.streams.find(stream);
  if (facts == nullptr) return;
  if (ticket <= call.newest_before) {
    call.blame(Message::TicketOrder, join("it gave the ticket ", ticket, ", and ", idText(stream),
                                          " had given ", call.newest_before, " before"));
    return;
  }
  facts->newest = std::max(facts->newest, ticket);
  if (objects.order.isDone(stream, ticket)) return;
  if (!raises()) findConflict(call, objects);
  objects.order.note(call.uses, {{}, stream, ticket, call.schedule, call.function(), place});
}

void noteRun(ScheduleFacts &schedule, const Clock &clock) {
  schedule.last_run = clock;
  for (const auto &command : schedule.commands) {
    if (command->nested != nullptr) noteRun(*command->nested, clock);
  }
}

}  // namespace

void checkStreams(Call &call) {
  const Given &given = call.given;
  if (call.is("ReleaseStream")) return askLast(call, given.stream);
  if (call.is("QueryStream") || call.is("WaitStream")) return beforeAnswer(call);
  if (given.nanoseconds != nullptr) {
    for (const nxs_id event : {given.event, given.end_event}) {
      beforeEvent(call, event);
      if (call.event.signalled && !call.event.timed) {
        call.find(Message::Untimed, NXS_ProfilingInfoNotAvailable,
                  join(idText(event), " was made without timing"));
      }
    }
    return;
  }
  if (given.completion != nullptr || call.is("WaitEvent")) beforeEvent(call, given.event);
  if (given.out_ticket != nullptr) beforeSubmission(call);
}

void checkAnswers(Call &call) {
  const Given &given = call.given;
  if (given.nanoseconds != nullptr) return checkElapsed(call);
  if (given.completion == nullptr) return;
  const nxs_completion &completion = *given.completion;
  checkState(call, completion);
  checkTime(call, given.timeout, completion);
  if (given.stream == 0) return afterEvent(call, completion);
  checkFailure(call, given.stream, completion);
  afterAnswer(call, completion);
}

void noteSubmission(Call &call) {
  const Given &given = call.given;
  const nxs_ticket ticket = *given.out_ticket;
  const Place place = presentPlace();
  const Locked objects;
  afterSubmission(call, *objects, ticket, place);
  if (call.is("WaitEvent")) objects->order.join(given.stream, call.event.clock, ticket);
  if (const auto event = objects->events.find(given.event);
      event != nullptr && call.is("SignalEvent")) {
    event->signalled = true;
    event->happened = false;
    event->stream = given.stream;
    event->ticket = ticket;
    event->clock = objects->order.clockAfter(given.stream, ticket);
  }
  if (const auto run = objects->schedules.find(given.schedule)) {
    noteRun(*run, objects->order.clockAfter(given.stream, ticket));
  }
}

}  // namespace nexus::core::layers::validation
