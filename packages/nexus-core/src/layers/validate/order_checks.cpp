// SPDX-License-Identifier: Apache-2.0
//
// Streams and events.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error_record.hpp"
#include "layers/validate/function_checks.hpp"
#include "layers/validate/submission.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

// Nanoseconds by which a wait may end too early: clocks differ.
constexpr uint64_t kEarly = 1'000'000;

bool isState(nxs_completion_state state) {
  return state >= NXS_CompletionState_Running && state <= NXS_CompletionState_Failed;
}

void checkState(Call &call, const nxs_completion &completion) {
  if (!isState(completion.state)) {
    call.blame(Message::Completion, words("it answered the state ", completion.state));
  }
}

void checkTime(Call &call, uint64_t timeout, const nxs_completion &completion) {
  const auto passed = static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - call.begin).count());
  if (completion.state == NXS_CompletionState_Running && passed < timeout &&
      timeout - passed > kEarly) {
    call.blame(Message::EarlyWait,
               words("it answered Running after ", passed, " ns, and timeout is ", timeout));
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

void beforeAnswer(Call &call, nxs_id stream, nxs_ticket ticket) {
  {
    const Locked objects;
    const auto facts = objects->streams.find(stream);
    if (facts == nullptr) return;
    call.newest_before = facts->newest;
    call.completed_before = facts->completed;
    if (facts->submitting != 0) return;  // the ticket may be one that is being given
  }
  if (ticket > call.newest_before) {
    call.find(Message::Ticket, NXS_InvalidValue,
              words("ticket is ", ticket, ", and the newest of ", idText(stream), " is ",
                    call.newest_before));
  }
}

void afterAnswer(Call &call, nxs_id stream, nxs_ticket ticket, const nxs_completion &completion) {
  checkState(call, completion);
  checkFailure(call, stream, completion);
  const Locked objects;
  const auto facts = objects->streams.find(stream);
  if (facts == nullptr) {
    return;
  }
  const nxs_ticket asked = ticket != 0 ? ticket : call.newest_before;
  const bool completed = completion.state == NXS_CompletionState_Completed;
  if (!completed && ticket != 0 && ticket <= call.completed_before) {
    call.blame(Message::Completion,
               words("ticket ", ticket, " of ", idText(stream),
                     " was complete, and now has the state ", completion.state));
  } else if (completion.completed < call.completed_before) {
    call.blame(Message::Completion,
               words("completed is ", completion.completed, ", and was ", call.completed_before));
  } else if (facts->submitting == 0 && completion.completed > facts->newest) {
    call.blame(Message::Completion, words("completed is ", completion.completed,
                                          ", and the newest ticket ", facts->newest));
    return;
  }
  facts->completed = std::max({facts->completed, completion.completed, completed ? asked : 0});
  const bool done = completion.state != NXS_CompletionState_Running;
  objects->order.observe(stream, std::max(completion.completed, done ? asked : 0));
}

template <typename Complete>
void noteEvent(Call &call, nxs_id device, nxs_id event, Complete complete) {
  checkGivenId(call, event, NXS_ObjectType_Event);
  const Place place = presentPlace();
  const Locked objects;
  EventFacts &facts = objects->events.add(event);
  noteNew(facts, device, place);
  complete(facts);
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
              words(idText(event), " was never signalled"));
  }
}

void afterEvent(Call &call, nxs_id event, const nxs_completion &completion) {
  checkState(call, completion);
  if (call.event.happened && completion.state == NXS_CompletionState_Running) {
    const Locked objects;
    const auto facts = objects->events.find(event);
    // Another thread may have signalled it meanwhile.
    if (facts != nullptr && facts->happened && facts->ticket == call.event.ticket) {
      call.blame(Message::Completion,
                 words("the newest signal of ", idText(event), " had happened, and now has not"));
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

}  // namespace

void after(Call &call, f::CreateStream, nxs_id device, int32_t, nxs_id *out_stream) {
  checkGivenId(call, *out_stream, NXS_ObjectType_Stream);
  const Place place = presentPlace();
  const Locked objects;
  noteNew(objects->streams.add(*out_stream), device, place);
  objects->order.addStream(*out_stream);
}

void after(Call &call, f::CreateStreamFromHandle, nxs_id device, uint64_t, nxs_id *out_stream) {
  after(call, f::CreateStream{}, device, 0, out_stream);
}

// Nobody can ask it later, so what it has done by now is asked here.
void before(Call &call, f::ReleaseStream, nxs_id stream) {
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

void after(Call &, f::ReleaseStream, nxs_id stream) {
  const Locked objects;
  objects->order.releaseStream(stream);
  objects->streams.remove(stream);
}

void before(Call &call, f::QueryStream, nxs_id stream, nxs_ticket ticket, nxs_completion *) {
  beforeAnswer(call, stream, ticket);
}

void after(Call &call, f::QueryStream, nxs_id stream, nxs_ticket ticket,
           nxs_completion *out_completion) {
  afterAnswer(call, stream, ticket, *out_completion);
}

void before(Call &call, f::WaitStream, nxs_id stream, nxs_ticket ticket, uint64_t,
            nxs_completion *) {
  beforeAnswer(call, stream, ticket);
}

void after(Call &call, f::WaitStream, nxs_id stream, nxs_ticket ticket, uint64_t timeout,
           nxs_completion *out_completion) {
  checkTime(call, timeout, *out_completion);
  afterAnswer(call, stream, ticket, *out_completion);
}

void before(Call &call, f::EnqueueHostCallback, nxs_id stream, void (*)(void *, nxs_status), void *,
            nxs_ticket *) {
  beforeSubmission(call, stream);
}

void after(Call &call, f::EnqueueHostCallback, nxs_id stream, void (*)(void *, nxs_status), void *,
           nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
}

void after(Call &call, f::CreateEvent, nxs_id device, nxs_execution_settings settings,
           nxs_id *out_event) {
  const bool timed = (settings & NXS_ExecutionSettings_Timing) != 0;
  noteEvent(call, device, *out_event, [&](EventFacts &facts) { facts.timed = timed; });
}

void after(Call &call, f::ImportEvent, nxs_id device, const void *, uint64_t, nxs_id *out_event) {
  noteEvent(call, device, *out_event, [](EventFacts &facts) { facts.imported = true; });
}

void after(Call &, f::ReleaseEvent, nxs_id event) {
  const Locked objects;
  objects->events.remove(event);
}

void before(Call &call, f::SignalEvent, nxs_id event, nxs_id stream, nxs_ticket *) {
  checkSameDevice(call, "event", event, "stream", stream);
  beforeSubmission(call, stream);
}

void after(Call &call, f::SignalEvent, nxs_id event, nxs_id stream, nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
  const Locked objects;
  const auto facts = objects->events.find(event);
  if (facts == nullptr) {
    return;
  }
  facts->signalled = true;
  facts->happened = false;
  facts->stream = stream;
  facts->ticket = *out_ticket;
  facts->clock = objects->order.clockAfter(stream, *out_ticket);
}

void before(Call &call, f::WaitEvent, nxs_id event, nxs_id stream, nxs_ticket *) {
  beforeEvent(call, event);
  beforeSubmission(call, stream);
}

void after(Call &call, f::WaitEvent, nxs_id, nxs_id stream, nxs_ticket *out_ticket) {
  afterSubmission(call, stream, *out_ticket);
  const Locked objects;
  objects->order.join(stream, call.event.clock, *out_ticket);
}

void before(Call &call, f::QueryEvent, nxs_id event, nxs_completion *) {
  beforeEvent(call, event);
}

void after(Call &call, f::QueryEvent, nxs_id event, nxs_completion *out_completion) {
  afterEvent(call, event, *out_completion);
}

void before(Call &call, f::SynchronizeEvent, nxs_id event, uint64_t, nxs_completion *) {
  beforeEvent(call, event);
}

void after(Call &call, f::SynchronizeEvent, nxs_id event, uint64_t timeout,
           nxs_completion *out_completion) {
  checkTime(call, timeout, *out_completion);
  afterEvent(call, event, *out_completion);
}

void before(Call &call, f::GetElapsedTime, nxs_id start_event, nxs_id end_event, double *) {
  for (const nxs_id event : {start_event, end_event}) {
    beforeEvent(call, event);
    if (call.event.signalled && !call.event.timed) {
      call.find(Message::Untimed, NXS_ProfilingInfoNotAvailable,
                words(idText(event), " was made without timing"));
    }
  }
}

void after(Call &call, f::GetElapsedTime, nxs_id start_event, nxs_id end_event,
           double *out_nanoseconds) {
  const Locked objects;
  const auto start = objects->events.find(start_event);
  const auto end = objects->events.find(end_event);
  if (start == nullptr || end == nullptr) {
    return;
  }
  const bool in_order = start->stream == end->stream && start->ticket <= end->ticket;
  if (!std::isfinite(*out_nanoseconds) || (in_order && *out_nanoseconds < 0)) {
    call.blame(Message::Time, words("it gave ", *out_nanoseconds, " ns from ", idText(start_event),
                                    " to ", idText(end_event)));
  }
}

}  // namespace nexus::core::layers::validation
