// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "backends.hpp"

using namespace objects;

namespace {

constexpr nxs_execution_settings kTiming = NXS_ExecutionSettings_Timing;

Object timedEvent(nexus_device *device, nxs_event_type type = NXS_EventType_Signal) {
  return event(device, type, kTiming);
}

Object record(nexus_stream *stream) {
  Object made;
  CHECK_OK(nexus_stream_record(stream, made.out()));
  return made;
}

nxs_status elapsed(nexus_event *start, nexus_event *end, double *out = nullptr) {
  double nanoseconds = -1;
  const nxs_status status = nexus_event_get_elapsed_time(start, end, &nanoseconds);
  if (out != nullptr) *out = nanoseconds;
  return status;
}

// ---- Events -------------------------------------------------------------------

TEST(a_time_can_be_asked_for_until_the_next_signal) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object other = stream(on);
    const Object start = timedEvent(on, NXS_EventType_Shared);
    const Object end = timedEvent(on, NXS_EventType_Shared);
    const Object between = timedEvent(on, NXS_EventType_Shared);
    double before = 0;
    for (uint64_t i = 1; i <= 20; ++i) {
      CHECK_OK(nexus_stream_signal(in, start, i));
      CHECK_OK(nexus_stream_signal(in, end, i));
      CHECK_OK(nexus_event_wait(end, i, NEXUS_FOREVER));
      double first = -1, again = -1;
      CHECK_OK(elapsed(start, end, &first));
      // Work of others uses binary events again, but none of these.
      CHECK_OK(nexus_stream_signal(other, between, i));
      CHECK_OK(nexus_stream_synchronize(other, NEXUS_FOREVER));
      CHECK_OK(elapsed(start, end, &again));
      CHECK_EQUAL(first, again);
      CHECK(first >= 0);
      double since = 0;  // the kept signal of start is this round's, not an earlier one's
      CHECK_OK(elapsed(start, between, &since));
      CHECK(since >= first);
      before = since;
    }
    CHECK(before > 0);
  }
}

TEST(a_signal_that_failed_has_its_cause_and_no_time) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object start = record(in);
  const Object end = timedEvent(on);
  const Object once = failing(on);
  const Object gate = event(on);
  CHECK_OK(nexus_stream_wait(in, gate, 1));  // else the failed stream may refuse the signal
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_stream_signal(in, end, 1));
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_FAILS(NXS_InternalError, nexus_event_wait(end, 1, NEXUS_FOREVER), "always fails");
  CHECK_FAILS(NXS_InternalError, elapsed(start, end), "always fails");
  int32_t is_done = -1;
  CHECK_FAILS(NXS_InternalError, nexus_event_is_done(end, &is_done), "always fails");
  const Object fresh = stream(on);
  CHECK_OK(nexus_stream_signal(fresh, end, 1));
  CHECK_OK(nexus_event_wait(end, 1, NEXUS_FOREVER));
  CHECK_OK(elapsed(start, end));
  CHECK_OK(nexus_event_is_done(end, &is_done));
  CHECK_EQUAL(1, is_done);
}

TEST(a_signal_that_was_cancelled_has_its_cause_and_no_time) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object held = stream(on);
  const Object gate = event(on);
  const Object end = timedEvent(on);
  const Object start = record(in);
  CHECK_OK(nexus_stream_signal(in, end, 1));
  CHECK_OK(nexus_event_wait(end, 1, NEXUS_FOREVER));
  CHECK_OK(elapsed(start, end));
  CHECK_OK(nexus_stream_wait(held, gate, 1));
  CHECK_OK(nexus_stream_signal(held, end, 1));
  CHECK_OK(nexus_close(held));
  CHECK_FAILS(NXS_Cancelled, elapsed(start, end), "closed");
}

TEST(of_two_signals_the_one_given_later_has_the_time) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object held = stream(on);
  const Object gate = event(on);
  const Object end = timedEvent(on);
  const Object start = record(in);
  CHECK_OK(nexus_stream_wait(held, gate, 1));
  CHECK_OK(nexus_stream_signal(held, end, 1));  // given first, happens last
  CHECK_OK(nexus_stream_signal(in, end, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  double first = -1, again = -1;
  CHECK_OK(elapsed(start, end, &first));
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_stream_synchronize(held, NEXUS_FOREVER));
  CHECK_OK(elapsed(start, end, &again));
  CHECK_EQUAL(first, again);
}

TEST(a_value_that_is_signalled_again_has_the_new_time) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object start = timedEvent(on, NXS_EventType_Shared);
  const Object end = timedEvent(on, NXS_EventType_Shared);
  CHECK_OK(nexus_stream_signal(in, end, 5));
  CHECK_OK(nexus_stream_signal(in, start, 5));
  CHECK_OK(nexus_stream_signal(in, end, 5));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  double nanoseconds = -1;
  CHECK_OK(elapsed(start, end, &nanoseconds));
  CHECK(nanoseconds >= 0);
}

TEST(times_of_two_devices_are_not_compared) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object left = stream(here);
  const Object right = stream(there);
  const Object start = record(left);
  const Object end = record(right);
  CHECK_OK(nexus_stream_synchronize(left, NEXUS_FOREVER));
  CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
  CHECK_FAILS(NXS_InvalidDevice, elapsed(start, end), "reference:0", "cpu:0");
  const Object made_here = timedEvent(here);  // what counts is where it was signalled
  CHECK_OK(nexus_stream_signal(right, made_here, 1));
  CHECK_OK(nexus_event_wait(made_here, 1, NEXUS_FOREVER));
  CHECK_OK(elapsed(end, made_here));
}

TEST(a_backend_without_timing_says_so_and_still_records) {
  const Object on = deviceWithout(NXS_Capability_Timing);
  const Object timing = device("reference:0");
  const Object in = stream(on);
  Object none;
  CHECK_FAILS(NXS_NotSupported,
              nexus_device_create_event(on, NXS_EventType_Signal, kTiming, none.out()), "lacking",
              "times");
  const Object recorded = record(in);
  CHECK_OK(nexus_event_wait(recorded, 1, NEXUS_FOREVER));
  CHECK_FAILS(NXS_ProfilingInfoNotAvailable, elapsed(recorded, recorded), "has no timing");
  const Object timed = timedEvent(timing);
  CHECK_OK(nexus_stream_signal(in, timed, 1));
  CHECK_OK(nexus_event_wait(timed, 1, NEXUS_FOREVER));
  CHECK_FAILS(NXS_ProfilingInfoNotAvailable, elapsed(timed, timed), "lacking:0", "reference:0");
  const Object once = schedule(on);
  CHECK_FAILS(NXS_NotSupported, run(once, in, kTiming), "Timing", "lacking");
  CHECK_OK(run(once, in));
  CHECK_FAILS(NXS_NotSupported, nexus_device_create_event(timing, 0, kNonBlocking, none.out()),
              "settings is 8");
}

TEST(a_wait_that_runs_out_says_how_long_it_was) {
  const Object counter = event(device("reference:0"));
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, kMillisecond), "within 1 ms");
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, 20'500), "within 0.0205 ms");
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, 0), "has not finished yet");
}

// ---- Schedules ----------------------------------------------------------------

TEST(a_timed_run_that_failed_tells_its_cause) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object once = failing(on);
  double none = -1;
  CHECK_FAILS(NXS_InternalError, run(once, in, kTiming), "always fails");
  CHECK_FAILS(NXS_InternalError, nexus_schedule_get_elapsed_time(once, &none), "always fails");
  CHECK_FAILS(NXS_InternalError, run(once, in, kTiming), "always fails");  // refused at once
  CHECK_FAILS(NXS_InternalError, nexus_schedule_get_elapsed_time(once, &none), "always fails");
  const Object held = stream(on);
  const Object gate = event(on);
  CHECK_OK(nexus_stream_wait(held, gate, 1));
  CHECK_OK(run(once, held, kTiming | kNonBlocking));
  CHECK_OK(nexus_close(held));
  CHECK_FAILS(NXS_Cancelled, nexus_schedule_get_elapsed_time(once, &none), "closed");
}

TEST(a_time_is_of_one_run_whatever_the_streams) {
  const Object on = device("cpu:0");
  const Object a = floats(on, Floats(1 << 12, 0));
  const Object once = schedule(on);
  Object command;
  CHECK_OK(nexus_schedule_create_fill_command(once, a, "x", 1, command.out()));
  CHECK_OK(run(once, nullptr, kTiming));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const Object in = stream(on);
      while (!stop) CHECK_OK(run(once, in, kTiming));
    });
  }
  int told = 0;
  while (told < 200) {
    double nanoseconds = -1;
    const nxs_status status = nexus_schedule_get_elapsed_time(once, &nanoseconds);
    CHECK(status == NXS_Success || status == NXS_InvalidOperation);
    if (status == NXS_Success) {
      CHECK(nanoseconds >= 0);  // the begin of one run and the end of another could be less
      ++told;
    }
  }
  stop = true;
  for (std::thread &thread : threads) thread.join();
}

}  // namespace
