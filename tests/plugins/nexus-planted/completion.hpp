// SPDX-License-Identifier: Apache-2.0
// Mistakes with time: tickets, waits, events, callbacks, failures and runs.
#pragma once

#include "planted.hpp"

namespace planted NXS_HIDDEN {

inline nxs_status wait_returns_early(nxs_id stream, nxs_ticket ticket, uint64_t timeout,
                                     nxs_completion *out_completion) {
  const nxs_status status = right.WaitStream(stream, ticket, 0, out_completion);
  if (status == NXS_Success && timeout != 0 &&
      out_completion->state == NXS_CompletionState_Running) {
    *out_completion = completed(ticket);
  }
  return status;
}

inline nxs_status query_says_completed(nxs_id stream, nxs_ticket ticket,
                                       nxs_completion *out_completion) {
  const nxs_status status = right.QueryStream(stream, ticket, out_completion);
  if (status == NXS_Success && out_completion->state == NXS_CompletionState_Running) {
    *out_completion = completed(ticket);
  }
  return status;
}

inline nxs_status tickets_repeat(nxs_id stream, const nxs_buffer_range *range, const void *pattern,
                                 uint64_t pattern_size, nxs_ticket *out_ticket) {
  const nxs_status status = right.FillBuffer(stream, range, pattern, pattern_size, out_ticket);
  if (status == NXS_Success && *out_ticket > 1) --*out_ticket;
  return status;
}

inline nxs_status ticket_of_the_future_is_completed(nxs_id stream, nxs_ticket ticket,
                                                    nxs_completion *out_completion) {
  const nxs_status status = right.QueryStream(stream, ticket, out_completion);
  if (status != NXS_InvalidValue || out_completion == nullptr ||
      out_completion->struct_size < sizeof(nxs_completion)) {
    return status;
  }
  *out_completion = completed(ticket);
  return NXS_Success;
}

inline nxs_status stream_does_not_wait_for_the_event(nxs_id event, nxs_id stream,
                                                     nxs_ticket *out_ticket) {
  nxs_completion completion{};
  completion.struct_size = sizeof(completion);
  const nxs_status status = right.QueryEvent(event, &completion);
  if (status != NXS_Success || completion.state != NXS_CompletionState_Running) {
    return right.WaitEvent(event, stream, out_ticket);
  }
  return right.EnqueueHostCallback(stream, [](void *, nxs_status) {}, nullptr, out_ticket);
}

namespace event_is_set_at_once {
inline nxs_status query(nxs_id event, nxs_completion *out_completion) {
  const nxs_status status = right.QueryEvent(event, out_completion);
  if (status == NXS_Success && out_completion->state == NXS_CompletionState_Running) {
    *out_completion = completed(0);
  }
  return status;
}
inline nxs_status synchronize(nxs_id event, uint64_t, nxs_completion *out_completion) {
  return query(event, out_completion);
}
inline void plant(Place place) {
  place.table.QueryEvent = query;
  place.table.SynchronizeEvent = synchronize;
}
}  // namespace event_is_set_at_once

inline nxs_status elapsed_time_runs_backwards(nxs_id start, nxs_id end, double *out_nanoseconds) {
  return right.GetElapsedTime(end, start, out_nanoseconds);
}

namespace callback_comes_twice {
using Callback = void (*)(void *context, nxs_status status);
struct Twice {
  Callback callback;
  void *context;
};
inline void call(void *context, nxs_status status) {
  const auto *twice = static_cast<const Twice *>(context);
  twice->callback(twice->context, status);
  twice->callback(twice->context, status);
}
inline nxs_status enqueue(nxs_id stream, Callback callback, void *context, nxs_ticket *out_ticket) {
  if (callback == nullptr) {
    return right.EnqueueHostCallback(stream, callback, context, out_ticket);
  }
  return right.EnqueueHostCallback(stream, call, new Twice{callback, context}, out_ticket);
}
inline void plant(Place place) {
  place.table.EnqueueHostCallback = enqueue;
}
}  // namespace callback_comes_twice

inline nxs_status callback_does_not_wait(nxs_id stream,
                                         void (*callback)(void *context, nxs_status status),
                                         void *context, nxs_ticket *out_ticket) {
  const auto nothing = [](void *, nxs_status) {};
  const nxs_status status = right.EnqueueHostCallback(
      stream, callback == nullptr ? callback : +nothing, nullptr, out_ticket);
  if (status == NXS_Success) callback(context, NXS_Success);
  return status;
}

namespace late_failure_is_forgotten {
inline void forget(nxs_completion *completion) {
  if (completion->state == NXS_CompletionState_Failed) *completion = completed(0);
}
inline nxs_status query(nxs_id stream, nxs_ticket ticket, nxs_completion *out_completion) {
  const nxs_status status = right.QueryStream(stream, ticket, out_completion);
  if (status == NXS_Success) forget(out_completion);
  return status;
}
inline nxs_status wait(nxs_id stream, nxs_ticket ticket, uint64_t timeout,
                       nxs_completion *out_completion) {
  const nxs_status status = right.WaitStream(stream, ticket, timeout, out_completion);
  if (status == NXS_Success) forget(out_completion);
  return status;
}
inline void plant(Place place) {
  place.table.QueryStream = query;
  place.table.WaitStream = wait;
}
}  // namespace late_failure_is_forgotten

inline nxs_status run_is_submitted_twice(nxs_id schedule, nxs_id stream,
                                         nxs_execution_settings settings, nxs_ticket *out_ticket) {
  const nxs_status status = right.RunSchedule(schedule, stream, settings, out_ticket);
  return status == NXS_Success ? right.RunSchedule(schedule, stream, settings, out_ticket) : status;
}

}  // namespace planted
