// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <thread>

#include "backends.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;

constexpr nxs_execution_settings kTiming = NXS_ExecutionSettings_Timing;
constexpr const char *kBackends[] = {"reference:0", "cpu:0"};

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

double elapsedOf(nexus_schedule *schedule) {
  double nanoseconds = -1;
  CHECK_OK(nexus_schedule_get_elapsed_time(schedule, &nanoseconds));
  return nanoseconds;
}

void fill(nexus_buffer *buffer, float value, nexus_stream *stream) {
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), stream, 0));
}

void fillCommand(nexus_schedule *schedule, nexus_buffer *buffer, float value) {
  Object command;
  CHECK_OK(
      nexus_schedule_create_fill_command(schedule, buffer, &value, sizeof(value), command.out()));
}

// ---- Events -------------------------------------------------------------------

TEST(the_time_between_two_events_is_that_of_the_work_between) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object a = floats(on, Floats(1 << 20, 0));
    const Object start = timedEvent(on);
    const Object middle = timedEvent(on, NXS_EventType_Shared);
    const Object end = timedEvent(on, NXS_EventType_Fence);
    CHECK_OK(nexus_stream_signal(in, start, 1));
    fill(a, 1, in);
    CHECK_OK(nexus_stream_signal(in, middle, 7));
    fill(a, 2, in);
    CHECK_OK(nexus_stream_signal(in, end, 1));
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    double first = 0, second = 0, all = 0, none = 1;
    CHECK_OK(elapsed(start, middle, &first));
    CHECK_OK(elapsed(middle, end, &second));
    CHECK_OK(elapsed(start, end, &all));
    CHECK_OK(elapsed(end, end, &none));
    CHECK(first > 0 && second > 0);
    CHECK(all > first + second - 1 && all < first + second + 1);
    CHECK_FAILS(NXS_InvalidValue, elapsed(end, start), "start happened ",
                "ms after end; exchange the two events.");
    CHECK_EQUAL(0.0, none);
  }
}

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

TEST(what_an_event_without_a_time_lacks_is_said) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object gate = event(on);
    const Object plain = event(on);
    const Object timed = timedEvent(on);
    const Object done = record(in);
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK_FAILS(NXS_ProfilingInfoNotAvailable, elapsed(plain, done), "start", "with timing");
    CHECK_FAILS(NXS_ProfilingInfoNotAvailable, elapsed(done, plain), "end", "with timing");
    CHECK_FAILS(NXS_InvalidOperation, elapsed(timed, done), "start", "never signalled");
    CHECK_OK(nexus_event_signal(timed, 1));
    CHECK_FAILS(NXS_InvalidOperation, elapsed(done, timed), "end", "from the host");
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(nexus_stream_signal(in, timed, 1));
    CHECK_FAILS(NXS_InvalidOperation, elapsed(done, timed), "end", "not happened yet");
    CHECK_OK(nexus_event_signal(gate, 1));
    CHECK_OK(nexus_event_wait(timed, 1, NEXUS_FOREVER));
    CHECK_OK(elapsed(done, timed));
    // A signal from the host has no time and takes none away.
    CHECK_OK(nexus_event_signal(timed, 1));
    CHECK_OK(elapsed(done, timed));
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
  CHECK_FAILS(NXS_ProfilingInfoNotAvailable, elapsed(recorded, recorded), "takes no times");
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

TEST(record_gives_a_signal_event_of_the_stream) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object gate = event(on);
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    const Object recorded = record(in);
    Object of;
    nxs_event_type type = NXS_EventType_Shared;
    CHECK_OK(nexus_event_get_device(recorded, of.out()));
    CHECK_OK(nexus_event_get_event_type(recorded, &type));
    CHECK(of.get() == on.get());
    CHECK_EQUAL(nxs_event_type{NXS_EventType_Signal}, type);
    int32_t is_done = -1;
    CHECK_OK(nexus_event_is_done(recorded, &is_done));
    CHECK_EQUAL(0, is_done);
    CHECK_OK(nexus_event_signal(gate, 1));
    CHECK_OK(nexus_event_wait(recorded, 1, NEXUS_FOREVER));
    CHECK_OK(nexus_event_is_done(recorded, &is_done));
    CHECK_EQUAL(1, is_done);
  }
  Object none;
  CHECK_FAILS(NXS_InvalidStream, nexus_stream_record(nullptr, none.out()), "stream");
}

// ---- Schedules ----------------------------------------------------------------

TEST(a_run_with_timing_tells_how_long_it_took) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object a = floats(on, Floats(1 << 18, 0));
    const Object once = schedule(on);
    fillCommand(once, a, 3);
    double none = 0;
    CHECK_FAILS(NXS_ProfilingInfoNotAvailable, nexus_schedule_get_elapsed_time(once, &none),
                "timing");
    CHECK_FAILS(NXS_InvalidProperty, property(once, {"ElapsedTime"}).status, "ElapsedTime");
    CHECK_OK(run(once, in));
    CHECK_FAILS(NXS_ProfilingInfoNotAvailable, nexus_schedule_get_elapsed_time(once, &none),
                "timing");
    for (nexus_stream *where : {in.get(), static_cast<nexus_stream *>(nullptr)}) {
      CHECK_OK(run(once, where, kTiming));
      const double nanoseconds = elapsedOf(once);
      CHECK(nanoseconds > 0);
      CHECK_EQUAL(std::vector<double>{nanoseconds / 1e6},
                  propertyNumbers<double>(once, {"ElapsedTime"}));
      CHECK_OK(run(once, where));  // a run without timing leaves the time of the one before
      CHECK_EQUAL(nanoseconds, elapsedOf(once));
    }
    CHECK_EQUAL(Floats(1 << 18, 3), contents(a));
  }
}

TEST(a_run_that_is_cut_or_held_back_has_a_time_too) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object gate = event(on);
    const Object inner = event(on);
    const Object a = floats(on, Floats(1 << 16, 0));
    const Object once = schedule(on);
    Object command;
    fillCommand(once, a, 1);
    CHECK_OK(nexus_schedule_create_signal_command(once, inner, 1, 1, command.out()));
    CHECK_OK(nexus_schedule_create_wait_command(once, inner, 1, 1, command.out()));
    fillCommand(once, a, 2);
    CHECK_OK(run(once, in, kTiming));
    const double whole = elapsedOf(once);
    CHECK(whole > 0);
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(run(once, in, kTiming | kNonBlocking));
    double none = -1;
    CHECK_FAILS(NXS_InvalidOperation, nexus_schedule_get_elapsed_time(once, &none), "not finished");
    CHECK_FAILS(NXS_InvalidProperty, property(once, {"ElapsedTime"}).status, "ElapsedTime");
    CHECK_OK(nexus_event_signal(gate, 1));
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK(elapsedOf(once) > 0);
    CHECK_EQUAL(Floats(1 << 16, 2), contents(a));
  }
}

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
  fillCommand(once, a, 1);
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

TEST(prepare_wants_commands_that_are_final) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object inner = event(on);
    const Object a = floats(on, {0, 0});
    const Object once = schedule(on);
    CHECK_OK(nexus_schedule_prepare(once, nullptr));
    Object command;
    fillCommand(once, a, 5);
    CHECK_OK(nexus_schedule_create_signal_command(once, inner, 1, 1, command.out()));
    fillCommand(once, a, 6);
    CHECK_OK(nexus_schedule_prepare(once, in));
    CHECK_OK(nexus_schedule_prepare(once, nullptr));
    CHECK_EQUAL((Floats{0, 0}), contents(a));
    CHECK_OK(run(once, in));
    CHECK_EQUAL((Floats{6, 6}), contents(a));
    CHECK_FAILS(NXS_InvalidSchedule, nexus_schedule_prepare(nullptr, in), "schedule");
  }
  const Object on = device("reference:0");
  const Object once = schedule(on);
  const Object kernel = referenceKernel(on, "fill_f32");
  Object command;
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  CHECK_FAILS(NXS_InvalidCommand, nexus_schedule_prepare(once, nullptr), "fill_f32", "finalize");
  const Object cpu = device("cpu:0");
  const Object other = stream(cpu);
  CHECK_FAILS(NXS_InvalidDevice, nexus_schedule_prepare(once, other), "cpu:0", "reference:0");
}

}  // namespace
