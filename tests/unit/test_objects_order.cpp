// SPDX-License-Identifier: Apache-2.0
//
// Streams that wait for each other, and events that are armed again meanwhile.
#include <string>

#include "backends.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;

constexpr uint64_t kMillisecond = 1'000'000;
constexpr const char *kBackends[] = {"reference:0", "cpu:0"};

void fill(nexus_buffer *buffer, float value, nexus_stream *stream) {
  CHECK_OK(nexus_buffer_fill(buffer, &value, sizeof(value), stream, 0));
}

bool isDone(nexus_event *event) {
  int32_t done = -1;
  CHECK_OK(nexus_event_is_done(event, &done));
  return done == 1;
}

Object eventCommand(nexus_schedule *schedule, nxs_command_type type, nexus_event *event,
                    uint64_t value, uint64_t step) {
  Object command;
  CHECK_OK((type == NXS_CommandType_Signal
                ? nexus_schedule_create_signal_command
                : nexus_schedule_create_wait_command)(schedule, event, value, step, command.out()));
  return command;
}

// ---- A stream waits for another -------------------------------------------------

TEST(a_stream_waits_for_all_that_another_was_given) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object left = stream(on);
    const Object right = stream(on);
    const Object gate = event(on);
    const Object a = floats(on, Floats(1 << 16, 0));
    const Object b = floats(on, Floats(1 << 16, 0));
    CHECK_OK(nexus_stream_wait_stream(right, left));  // nothing to wait for
    CHECK_OK(nexus_stream_wait_stream(right, right));
    CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
    for (uint64_t i = 1; i <= 10; ++i) {
      if (i % 2 == 0) CHECK_OK(nexus_stream_wait(left, gate, i));  // held back, else running
      fill(a, static_cast<float>(i), left);
      CHECK_OK(nexus_stream_wait_stream(right, left));
      CHECK_OK(nexus_buffer_copy_to_buffer(a, b, right, 0));
      CHECK_OK(nexus_stream_wait_stream(left, right));
      if (i % 2 == 0) {
        CHECK_FAILS(NXS_Timeout, nexus_stream_synchronize(right, kMillisecond), "stream");
        CHECK_OK(nexus_event_signal(gate, i));
      }
      CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
      CHECK_EQUAL(Floats(1 << 16, static_cast<float>(i)), contents(b));
    }
  }
}

TEST(a_stream_waits_for_one_of_another_backend) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object left = stream(here);
  const Object right = stream(there);
  const Object gate = event(here);
  const Object a = floats(there, {0, 0});
  CHECK_OK(nexus_stream_wait(left, gate, 1));
  CHECK_OK(nexus_stream_wait_stream(right, left));
  fill(a, 1, right);
  CHECK_FAILS(NXS_Timeout, nexus_stream_synchronize(right, kMillisecond), "stream");
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{1, 1}), contents(a));
}

TEST(a_stream_fails_with_the_one_that_it_waits_for) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object left = stream(on);
  const Object right = stream(on);
  const Object once = failing(on);
  CHECK_OK(nexus_stream_wait(left, gate, 1));
  CHECK_OK(run(once, left, kNonBlocking));
  CHECK_OK(nexus_stream_wait_stream(right, left));
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(right, NEXUS_FOREVER), "always fails");
  const Object third = stream(on);
  CHECK_FAILS(NXS_InternalError, nexus_stream_wait_stream(third, left), "always fails");
  CHECK_OK(nexus_stream_synchronize(third, NEXUS_FOREVER));  // a refused call did nothing
}

TEST(a_stream_fails_with_the_closed_one_that_it_waits_for) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object left = stream(on);
  const Object right = stream(on);
  CHECK_OK(nexus_stream_wait(left, gate, 1));
  CHECK_OK(nexus_stream_wait_stream(right, left));
  CHECK_OK(nexus_close(left));
  CHECK_FAILS(NXS_Cancelled, nexus_stream_synchronize(right, NEXUS_FOREVER), "closed");
  CHECK_FAILS(NXS_InvalidStream, nexus_stream_wait_stream(right, left), "other", "closed");
}

TEST(a_device_waits_for_all_streams_before_it_tells_that_one_has_failed) {
  const Object on = device("reference:0");
  const Object never = event(on);
  const Object gate = event(on);
  const Object failed = stream(on);
  const Object held = stream(on);
  CHECK_OK(nexus_stream_wait(failed, never, 1));
  CHECK_OK(nexus_close(never));
  CHECK_OK(nexus_stream_wait(held, gate, 1));
  CHECK_FAILS(NXS_Timeout, nexus_device_synchronize(on, kMillisecond), "stream");
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_FAILS(NXS_Cancelled, nexus_device_synchronize(on, NEXUS_FOREVER), "event was closed");
  CHECK_OK(nexus_close(failed));
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
}

TEST(a_failure_told_to_one_who_waits_for_a_default_stream_lets_it_go_on) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object once = failing(on);
  Object defaults;
  CHECK_OK(nexus_device_get_default_stream(on, defaults.out()));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  const nxs_status waited = nexus_stream_wait_stream(in, defaults);
  if (waited == NXS_Success) {  // it had not failed by then
    CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(in, NEXUS_FOREVER), "always fails");
    CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(defaults, NEXUS_FOREVER), "fails");
  }
  const Object fresh = stream(on);
  CHECK_OK(nexus_stream_wait_stream(fresh, defaults));
  CHECK_OK(nexus_stream_synchronize(fresh, NEXUS_FOREVER));
}

// ---- Long chains ----------------------------------------------------------------

TEST(a_long_chain_of_streams_that_wait_goes_on_in_a_loop) {
  constexpr std::size_t kStreams = 20'000;
  const Object on = device("cpu:0");
  std::vector<Object> streams;
  std::vector<Object> events;
  events.push_back(event(on, NXS_EventType_Signal));
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams.push_back(stream(on));
    events.push_back(event(on, NXS_EventType_Signal));
    CHECK_OK(nexus_stream_wait(streams[i], events[i], 1));
    CHECK_OK(nexus_stream_signal(streams[i], events[i + 1], 1));
  }
  CHECK(!isDone(events.back()));
  CHECK_OK(nexus_event_signal(events.front(), 1));
  CHECK_OK(nexus_event_wait(events.back(), 1, NEXUS_FOREVER));
}

TEST(the_end_of_the_first_of_a_long_chain_reaches_the_last) {
  constexpr std::size_t kStreams = 5'000;
  const Object on = device("cpu:0");
  const Object gate = event(on);
  std::vector<Object> streams;
  std::vector<Object> events;
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams.push_back(stream(on));
    events.push_back(event(on));
    CHECK_OK(nexus_stream_wait(streams[i], i == 0 ? gate : events[i - 1], 1));
    CHECK_OK(nexus_stream_signal(streams[i], events[i], 1));
  }
  CHECK_OK(nexus_close(streams.front()));
  CHECK_FAILS(NXS_Cancelled, nexus_event_wait(events.back(), 1, NEXUS_FOREVER), "closed");
}

// ---- One-shot events --------------------------------------------------------------

TEST(an_event_is_done_when_all_its_signals_have_happened) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object gate = event(on);
    for (const nxs_event_type type : {NXS_EventType_Shared, NXS_EventType_Signal}) {
      const Object counter = event(on, type);
      uint64_t now = 0;
      CHECK_OK(nexus_event_get_value(gate, &now));
      CHECK(!isDone(counter));  // there was none
      CHECK_OK(nexus_event_signal(counter, 1));
      CHECK(isDone(counter));
      CHECK_OK(nexus_stream_wait(in, gate, now + 1));
      CHECK_OK(nexus_stream_signal(in, counter, type == NXS_EventType_Shared ? 2 : 1));
      CHECK(!isDone(counter));
      CHECK_OK(nexus_event_signal(gate, now + 1));
      CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
      CHECK(isDone(counter));
    }
  }
}

TEST(a_wait_that_is_held_back_is_for_the_signal_of_its_time) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object left = stream(on);
    const Object right = stream(on);
    const Object gate = event(on);
    const Object shot = event(on, NXS_EventType_Signal);
    const Object answer = event(on);
    CHECK_OK(nexus_stream_signal(left, shot, 1));
    CHECK_OK(nexus_stream_wait(right, gate, 1));  // holds back what follows
    CHECK_OK(nexus_stream_wait(right, shot, 1));
    CHECK_OK(nexus_stream_signal(right, answer, 1));
    CHECK_OK(nexus_stream_wait(left, answer, 1));
    CHECK_OK(nexus_stream_signal(left, shot, 1));  // armed again: the wait above is not for this
    CHECK_OK(nexus_event_signal(gate, 1));
    CHECK_OK(nexus_event_wait(shot, 1, 60'000 * kMillisecond));
    CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
  }
}

TEST(an_event_of_another_backend_may_be_armed_again_before_the_wait_is_over) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object left = stream(here);
  const Object right = stream(there);
  const Object shot = event(here, NXS_EventType_Signal);
  const Object answer = event(there);
  const Object large = floats(here, Floats(1 << 20));
  for (uint64_t i = 1; i <= 20; ++i) {
    fill(large, 1, left);
    CHECK_OK(nexus_stream_signal(left, shot, 1));
    CHECK_OK(nexus_stream_wait(right, shot, 1));
    CHECK_OK(nexus_stream_signal(right, answer, i));
    CHECK_OK(nexus_stream_wait(left, answer, i));
  }
  CHECK_OK(nexus_stream_synchronize(left, 60'000 * kMillisecond));
}

TEST(a_signal_that_fails_leaves_the_event_usable) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object in = stream(on);
  const Object shot = event(on, NXS_EventType_Signal);
  for (int i = 0; i < 3; ++i) {
    const Object held = stream(on);
    CHECK_OK(nexus_stream_wait(held, gate, 1));
    CHECK_OK(nexus_stream_signal(held, shot, 1));
    CHECK_OK(nexus_close(held));
    CHECK_FAILS(NXS_Cancelled, nexus_event_wait(shot, 1, NEXUS_FOREVER), "closed");
    CHECK_FAILS(NXS_InvalidStream, nexus_stream_signal(held, shot, 1), "closed");
    CHECK_OK(nexus_stream_signal(in, shot, 1));
    CHECK_OK(nexus_event_wait(shot, 1, NEXUS_FOREVER));
    CHECK(isDone(shot));
  }
}

TEST(a_signal_that_is_refused_does_not_touch_the_event) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object broken = stream(on);
  const Object shot = event(on, NXS_EventType_Signal);
  const Object gone = event(on);
  CHECK_OK(nexus_stream_signal(in, shot, 1));
  CHECK_OK(nexus_event_wait(shot, 1, NEXUS_FOREVER));
  CHECK_OK(nexus_stream_wait(broken, gone, 1));
  CHECK_OK(nexus_close(gone));
  CHECK_FAILS(NXS_Cancelled, nexus_stream_signal(broken, shot, 1), "closed");
  CHECK(isDone(shot));
  CHECK_OK(nexus_event_wait(shot, 1, 0));
}

// ---- Values of commands -----------------------------------------------------------

TEST(a_value_that_is_set_counts_from_the_next_run) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object counter = event(on);
    const Object once = schedule(on);
    const Object signal = eventCommand(once, NXS_CommandType_Signal, counter, 1, 1);
    const auto valueAfterRun = [&] {
      uint64_t value = 0;
      CHECK_OK(run(once, in));
      CHECK_OK(nexus_event_get_value(counter, &value));
      return value;
    };
    CHECK_EQUAL(uint64_t{1}, valueAfterRun());
    CHECK_EQUAL(uint64_t{2}, valueAfterRun());
    CHECK_OK(nexus_command_set_value(signal, 10, 5));
    CHECK_EQUAL(std::vector<int64_t>{10}, propertyNumbers(signal, {"Value"}));
    CHECK_EQUAL(uint64_t{10}, valueAfterRun());
    CHECK_EQUAL(uint64_t{15}, valueAfterRun());
    CHECK_OK(nexus_command_set_value(signal, 3, 1));
    CHECK_FAILS(NXS_InvalidValue, run(once, in), "3", "15");
    CHECK_OK(nexus_command_set_value(signal, 16, UINT64_MAX));
    CHECK_EQUAL(uint64_t{16}, valueAfterRun());
    CHECK_FAILS(NXS_InvalidValue, run(once, in), "64 bits", "set");
    CHECK_OK(nexus_command_set_value(signal, 17, 0));
    CHECK_EQUAL(uint64_t{17}, valueAfterRun());
    CHECK_EQUAL(uint64_t{17}, valueAfterRun());
  }
}

TEST(runs_that_are_held_back_keep_the_values_of_their_time) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object gate = event(on);
    const Object counter = event(on);
    const Object awaited = event(on);
    const Object once = schedule(on);
    const Object wait = eventCommand(once, NXS_CommandType_Wait, awaited, 1, 1);
    const Object signal = eventCommand(once, NXS_CommandType_Signal, counter, 1, 1);
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(nexus_command_set_value(wait, 100, 0));
    CHECK_OK(nexus_command_set_value(signal, 100, 0));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(nexus_event_signal(awaited, 1));
    CHECK_OK(nexus_event_signal(gate, 1));
    CHECK_OK(nexus_event_wait(counter, 1, NEXUS_FOREVER));
    uint64_t value = 0;
    CHECK_OK(nexus_event_get_value(counter, &value));
    CHECK_EQUAL(uint64_t{1}, value);
    CHECK_OK(nexus_event_signal(awaited, 100));
    CHECK_OK(nexus_event_wait(counter, 100, NEXUS_FOREVER));
  }
}

TEST(what_has_no_value_or_not_that_one_says_so) {
  const Object on = device("reference:0");
  const Object a = floats(on, {0, 0});
  const Object shot = event(on, NXS_EventType_Signal);
  const Object once = schedule(on);
  const Object scale = scaleCommand(once, on, a, 1, a, 2);
  const Object signal = eventCommand(once, NXS_CommandType_Signal, shot, 1, 1);
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_set_value(scale, 1, 1), "Dispatch", "value");
  CHECK_FAILS(NXS_InvalidValue, nexus_command_set_value(signal, 2, 1), "2", "0 and 1");
  CHECK_FAILS(NXS_InvalidValue, nexus_command_set_value(signal, 0, 1), "0");
  CHECK_OK(nexus_command_set_value(signal, 1, 1));  // a one-shot event takes no steps
  CHECK_OK(run(once));
  CHECK_OK(run(once));
  CHECK_OK(nexus_close(once));
  CHECK_FAILS(NXS_InvalidSchedule, nexus_command_set_value(signal, 1, 1), "closed");
  CHECK_FAILS(NXS_InvalidCommand, nexus_command_set_value(nullptr, 1, 1), "command");
}

}  // namespace
