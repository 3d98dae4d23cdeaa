// SPDX-License-Identifier: Apache-2.0
//
// Checks of streams and events: tickets, their reported states, and the order of work.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// Nanoseconds by which a wait may end too early, since clocks differ.
constexpr uint64_t kEarly = 1'000'000;

bool isRunning(const nxs_completion &completion) {
  return completion.state == NXS_CompletionState_Running;
}

// ---- Conflicts --------------------------------------------------------------------

const char *presentText(Access access) {
  return access == Access::Read ? "reads" : access == Access::Write ? "writes" : "may write";
}

const char *earlierText(Access access) {
  return access == Access::Read    ? "may still read"
         : access == Access::Write ? "may still write"
                                   : "may still use";
}

std::string memoryText(const Objects &objects, const Use &use) {
  if (use.buffer == 0) return join(use.end - use.begin, " bytes of host memory");
  const auto buffer = objects.find<BufferFacts>(use.buffer);
  const uint64_t base = buffer == nullptr ? 0 : buffer->base;
  return join("the bytes ", use.begin - base, " to ", use.end - base - 1, " of ",
              idText(use.buffer), buffer == nullptr ? "" : placeNote("made at", buffer->place));
}

void findConflict(Call &call, Objects &objects) {
  const nxs_id stream = call.given.stream;
  const auto conflict = objects.order.conflict(call.uses, stream, call.schedule);
  if (!conflict) return;
  const Use &use = conflict->use;
  const Noted &earlier = conflict->earlier;
  const bool of_host = use.space == 0 && (use.buffer == 0 || earlier.use.buffer == 0);
  call.find(of_host             ? Message::HostMemory
            : conflict->certain ? Message::Hazard
                                : Message::PossibleHazard,
            NXS_InvalidOperation, "it ", presentText(use.access), " ", memoryText(objects, use),
            " in ", idText(stream), ", and ", earlier.function, placeNote("at", earlier.place), " ",
            earlierText(earlier.use.access), " them in ", idText(earlier.stream));
}

// ---- Before the call ---------------------------------------------------------------

void beforeAnswer(Call &call, const Objects &objects) {
  const Given &given = call.given;
  const auto stream = objects.find<StreamFacts>(given.stream);
  if (stream == nullptr) return;
  call.newest_before = stream->newest;
  call.completed_before = stream->completed;
  // A call that submits may be about to return the ticket.
  if (stream->submitting == 0 && given.ticket > stream->newest) {
    call.find(Message::Ticket, NXS_InvalidValue, "ticket is ", given.ticket, ", but the newest of ",
              idText(given.stream), " is ", stream->newest);
  }
}

void beforeEvent(Call &call, const Objects &objects, nxs_id id) {
  const auto event = objects.find<EventFacts>(id);
  const bool known = event != nullptr && !event->imported;
  call.event = known ? *event : EventFacts{};
  if (known && !event->signalled) {
    call.find(Message::NeverSignalled, NXS_InvalidOperation, idText(id), " was never signalled");
  }
}

void beforeElapsed(Call &call, const Objects &objects) {
  for (const nxs_id event : {call.given.event, call.given.end_event}) {
    beforeEvent(call, objects, event);
    if (call.event.signalled && !call.event.timed) {
      call.find(Message::Untimed, NXS_ProfilingInfoNotAvailable, idText(event),
                " was created without timing");
    }
  }
}

void beforeSubmission(Call &call, Objects &objects) {
  const auto stream = objects.find<StreamFacts>(call.given.stream);
  if (stream == nullptr) return;
  call.newest_before = stream->newest;
  call.submitting = stream;
  ++stream->submitting;
  if (raises()) findConflict(call, objects);
}

// ---- After the call ----------------------------------------------------------------

// Reports the failure of a stream's work once per stream, since its later work fails with the same
// cause.
void checkFailure(Call &call, nxs_id id, const nxs_completion &completion) {
  if (completion.state != NXS_CompletionState_Failed || completion.status != NXS_InvalidMemObject) {
    return;
  }
  {
    const Locked objects;
    const auto stream = objects->find<StreamFacts>(id);
    if (stream == nullptr || std::exchange(stream->failure_told, true)) return;
  }
  reportOutOfBounds(call, completion.status, completion.error);
}

void checkCompletion(Call &call, const nxs_completion &completion) {
  if (completion.state < NXS_CompletionState_Running ||
      completion.state > NXS_CompletionState_Failed) {
    call.blame(Message::Completion, "it reported the unknown state ", completion.state);
  }
  const uint64_t timeout = call.given.timeout;
  const auto passed = static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - call.begin).count());
  if (isRunning(completion) && passed < timeout && timeout - passed > kEarly) {
    call.blame(Message::EarlyWait, "it reported Running after ", passed, " ns, but the timeout is ",
               timeout, " ns");
  }
}

void afterAnswer(Call &call, Objects &objects, const nxs_completion &completion) {
  const nxs_id id = call.given.stream;
  const nxs_ticket ticket = call.given.ticket;
  const auto stream = objects.find<StreamFacts>(id);
  if (stream == nullptr) return;
  const nxs_ticket asked = ticket != 0 ? ticket : call.newest_before;
  const bool completed = completion.state == NXS_CompletionState_Completed;
  if (!completed && ticket != 0 && ticket <= call.completed_before) {
    call.blame(Message::Completion, "ticket ", ticket, " of ", idText(id),
               " was complete, but now has the state ", completion.state);
  } else if (completion.completed < call.completed_before) {
    call.blame(Message::Completion, "completed is ", completion.completed, ", but was ",
               call.completed_before);
  } else if (stream->submitting == 0 && completion.completed > stream->newest) {
    call.blame(Message::Completion, "completed is ", completion.completed,
               ", but the newest ticket is ", stream->newest);
    return;
  }
  stream->completed = std::max({stream->completed, completion.completed, completed ? asked : 0});
  objects.order.observe(id, std::max(completion.completed, isRunning(completion) ? 0 : asked));
}

void afterEvent(Call &call, Objects &objects, const nxs_completion &completion) {
  const EventFacts &before = call.event;
  const auto event = objects.find<EventFacts>(call.given.event);
  // Another thread may have signalled it meanwhile.
  const bool same =
      event != nullptr && event->stream == before.stream && event->ticket == before.ticket;
  if (isRunning(completion)) {
    if (before.happened && same && event->happened) {
      call.blame(Message::Completion, "the newest signal of ", idText(call.given.event),
                 " was complete, but now is not");
    }
  } else if (before.signalled) {
    objects.order.observe(before.stream, before.ticket);
    if (same) event->happened = completion.state == NXS_CompletionState_Completed;
  }
}

void afterElapsed(Call &call) {
  const Given &given = call.given;
  const Locked objects;
  const auto start = objects->find<EventFacts>(given.event);
  const auto end = objects->find<EventFacts>(given.end_event);
  if (start == nullptr || end == nullptr) return;
  const bool in_order = start->stream == end->stream && start->ticket <= end->ticket;
  if (!std::isfinite(*given.nanoseconds) || (in_order && *given.nanoseconds < 0)) {
    call.blame(Message::Time, "it returned ", *given.nanoseconds, " ns from ", idText(given.event),
               " to ", idText(given.end_event));
  }
}

// Checks the ticket, looks for conflicts, and notes the uses.
void afterSubmission(Call &call, Objects &objects, nxs_ticket ticket, const Place &place) {
  const nxs_id id = call.given.stream;
  const auto stream = objects.find<StreamFacts>(id);
  if (stream == nullptr) return;
  if (ticket <= call.newest_before) {
    call.blame(Message::TicketOrder, "it returned the ticket ", ticket, ", but ", idText(id),
               " had already returned ", call.newest_before);
    return;
  }
  stream->newest = std::max(stream->newest, ticket);
  if (objects.order.isDone(id, ticket)) return;
  if (!raises()) findConflict(call, objects);
  objects.order.note(call.uses, {{}, id, ticket, call.schedule, call.function(), place});
}

void noteRun(ScheduleFacts &schedule, const Clock &clock) {
  schedule.last_run = clock;
  for (const auto &command : schedule.commands) {
    for (const auto &nested : command->nested) noteRun(*nested, clock);
  }
}

}  // namespace

void checkStreams(Call &call, Objects &objects) {
  const Given &given = call.given;
  if (call.is("QueryStream") || call.is("WaitStream")) return beforeAnswer(call, objects);
  if (given.nanoseconds != nullptr) return beforeElapsed(call, objects);
  if (given.completion != nullptr || call.is("WaitEvent")) beforeEvent(call, objects, given.event);
  if (given.out_ticket != nullptr) beforeSubmission(call, objects);
}

void askLast(Call &call) {
  const nxs_id id = call.given.stream;
  nxs_ticket newest = 0;
  {
    const Locked objects;
    const auto stream = objects->find<StreamFacts>(id);
    if (stream == nullptr) return;
    newest = stream->newest;
  }
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  if (call.next().QueryStream(id, newest, &completion) != NXS_Success) return;
  checkFailure(call, id, completion);
  const Locked objects;
  objects->order.observe(id, isRunning(completion) ? completion.completed : newest);
}

void checkAnswers(Call &call) {
  const Given &given = call.given;
  if (given.nanoseconds != nullptr) return afterElapsed(call);
  if (given.completion == nullptr) return;
  const nxs_completion &completion = *given.completion;
  checkCompletion(call, completion);
  if (given.stream != 0) checkFailure(call, given.stream, completion);
  const Locked objects;
  if (given.stream != 0) {
    afterAnswer(call, *objects, completion);
  } else {
    afterEvent(call, *objects, completion);
  }
}

void noteSubmission(Call &call, Objects &objects, const Place &place) {
  const Given &given = call.given;
  const nxs_ticket ticket = *given.out_ticket;
  afterSubmission(call, objects, ticket, place);
  if (call.is("WaitEvent")) objects.order.join(given.stream, call.event.clock, ticket);
  if (const auto event = objects.find<EventFacts>(given.event);
      event != nullptr && call.is("SignalEvent")) {
    event->signalled = true;
    event->happened = false;
    event->stream = given.stream;
    event->ticket = ticket;
    event->clock = objects.order.clockAfter(given.stream, ticket);
  }
  if (const auto run = objects.find<ScheduleFacts>(given.schedule)) {
    noteRun(*run, objects.order.clockAfter(given.stream, ticket));
  }
}

}  // namespace nexus::core::layers::validation
