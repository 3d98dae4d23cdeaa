// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;

constexpr uint64_t kMillisecond = 1'000'000;

uint64_t valueOf(nexus_event *event) {
  uint64_t value = 0;
  CHECK_OK(nexus_event_get_value(event, &value));
  return value;
}

bool isIdle(nexus_stream *stream) {
  int32_t idle = 0;
  CHECK_OK(nexus_stream_is_idle(stream, &idle));
  return idle != 0;
}

Object signalCommand(nexus_schedule *schedule, nexus_event *event, uint64_t value, uint64_t step) {
  Object command;
  CHECK_OK(nexus_schedule_create_signal_command(schedule, event, value, step, command.out()));
  return command;
}

Object waitCommand(nexus_schedule *schedule, nexus_event *event, uint64_t value, uint64_t step) {
  Object command;
  CHECK_OK(nexus_schedule_create_wait_command(schedule, event, value, step, command.out()));
  return command;
}

void fillCommand(nexus_schedule *schedule, nexus_buffer *buffer, float value) {
  Object command;
  CHECK_OK(
      nexus_schedule_create_fill_command(schedule, buffer, &value, sizeof(value), command.out()));
}

TEST(a_shared_event_only_grows) {
  const Object on = device("reference:0");
  const Object counter = event(on);
  CHECK_EQUAL(uint64_t{0}, valueOf(counter));
  CHECK_OK(nexus_event_signal(counter, 5));
  CHECK_OK(nexus_event_signal(counter, 5));
  CHECK_OK(nexus_event_wait(counter, 4, 0));
  CHECK_FAILS(NXS_InvalidValue, nexus_event_signal(counter, 4), "4", "5");
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, kMillisecond), "within 1 ms");
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, 0), "has not finished yet");
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(counter, 6, 20'500), "within 0.0205 ms");
  CHECK_OK(nexus_event_signal(counter, UINT64_MAX));
  CHECK_EQUAL(UINT64_MAX, valueOf(counter));
  CHECK_EQUAL(std::string("Shared"), propertyText(counter, {"Type"}));
  CHECK_EQUAL(std::string("Complete"), propertyText(counter, {"Status"}));
}

TEST(a_host_waits_for_another_thread) {
  const Object on = device("reference:0");
  const Object counter = event(on);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_OK(nexus_event_signal(counter, 1));
  });
  CHECK_OK(nexus_event_wait(counter, 1, NEXUS_FOREVER));
  other.join();
}

TEST(one_shot_events_have_two_values) {
  const Object on = device("reference:0");
  for (const nxs_event_type type : {NXS_EventType_Signal, NXS_EventType_Fence}) {
    const Object shot = event(on, type);
    CHECK_EQUAL(std::string("Submitted"), propertyText(shot, {"Status"}));
    CHECK_FAILS(NXS_InvalidValue, nexus_event_signal(shot, 2), "2", "0 and 1");
    CHECK_FAILS(NXS_InvalidValue, nexus_event_wait(shot, 2, 0), "0 and 1");
    CHECK_FAILS(NXS_InvalidValue, nexus_event_signal(shot, 0), "0");
    CHECK_OK(nexus_event_signal(shot, 1));
    CHECK_OK(nexus_event_signal(shot, 1));
    CHECK_EQUAL(uint64_t{1}, valueOf(shot));
  }
  Object none;
  CHECK_FAILS(NXS_InvalidValue, nexus_device_create_event(on, 7, 0, none.out()), "7");
}

TEST(a_run_sets_a_signal_back_and_then_sets_it) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object a = floats(on, {0, 0});
  for (const nxs_event_type type : {NXS_EventType_Signal, NXS_EventType_Fence}) {
    const Object shot = event(on, type);
    const Object in = stream(on);
    const Object once = schedule(on);
    fillCommand(once, a, 1);
    const Object signal = signalCommand(once, shot, 1, 1);
    for (int i = 0; i < 3; ++i) {
      CHECK_OK(run(once, in, kNonBlocking));
      CHECK_OK(nexus_event_wait(shot, 1, NEXUS_FOREVER));
      CHECK_EQUAL(uint64_t{1}, valueOf(shot));
    }
    const uint64_t next = valueOf(gate) + 1;
    CHECK_OK(nexus_stream_wait(in, gate, next));  // holds the stream back
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_EQUAL(uint64_t{0}, valueOf(shot));
    CHECK_FAILS(NXS_Timeout, nexus_event_wait(shot, 1, kMillisecond), "event");
    CHECK_OK(nexus_event_signal(gate, next));
    CHECK_OK(nexus_event_wait(shot, 1, NEXUS_FOREVER));
  }
}

TEST(a_signal_in_a_stream_follows_its_work) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object counter = event(on);
  const Object a = floats(on, Floats(1 << 16, 0));
  const float value = 3;
  for (uint64_t i = 1; i <= 10; ++i) {
    CHECK_OK(nexus_buffer_fill(a, &value, sizeof(value), in, 0));
    CHECK_OK(nexus_stream_signal(in, counter, i));
    CHECK_OK(nexus_event_wait(counter, i, NEXUS_FOREVER));
    CHECK(isIdle(in));
  }
  CHECK_EQUAL(uint64_t{10}, valueOf(counter));
  CHECK_FAILS(NXS_InvalidValue, nexus_stream_signal(in, counter, 9), "9", "10");
}

TEST(a_stream_waits_for_the_signal_of_another) {
  const Object on = device("reference:0");
  const Object left = stream(on);
  const Object right = stream(on);
  const Object counter = event(on);
  const Object a = floats(on, Floats(1 << 16, 0));
  const Object b = floats(on, Floats(1 << 16, 0));
  for (uint64_t i = 1; i <= 20; ++i) {
    const float value = static_cast<float>(i);
    CHECK_OK(nexus_buffer_fill(a, &value, sizeof(value), left, 0));
    CHECK_OK(nexus_stream_signal(left, counter, 2 * i - 1));
    CHECK_OK(nexus_stream_wait(right, counter, 2 * i - 1));
    CHECK_OK(nexus_buffer_copy_to_buffer(a, b, right, 0));
    CHECK_OK(nexus_stream_signal(right, counter, 2 * i));
    CHECK_OK(nexus_stream_wait(left, counter, 2 * i));
  }
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL(Floats(1 << 16, 20), contents(b));
}

TEST(waiting_before_signalling_holds_back_only_that_stream) {
  const Object on = device("reference:0");
  const Object waiting = stream(on);
  const Object free = stream(on);
  const Object counter = event(on);
  const Object a = floats(on, {0, 0});
  const Object b = floats(on, {0, 0});
  const float one = 1;
  Floats back(2);
  CHECK_OK(nexus_stream_wait(waiting, counter, 1));
  CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), waiting, 0));
  CHECK_OK(nexus_buffer_fill(b, &one, sizeof(one), free, 1));
  CHECK(!isIdle(waiting));
  CHECK_EQUAL(std::string("Running"), propertyText(waiting, {"Status"}));
  CHECK_FAILS(NXS_Timeout, nexus_stream_synchronize(waiting, kMillisecond), "stream");
  CHECK_FAILS(NXS_Timeout, nexus_device_synchronize(on, kMillisecond), "stream");
  CHECK_OK(nexus_buffer_copy_to_host(a, 0, back.data(), 8, free, 1));
  CHECK_EQUAL((Floats{0, 0}), back);
  CHECK_OK(nexus_stream_signal(free, counter, 1));
  CHECK_OK(nexus_stream_synchronize(waiting, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{1, 1}), contents(a));
}

TEST(streams_that_wait_for_each_other_in_turn_go_on) {
  const Object on = device("reference:0");
  const Object left = stream(on);
  const Object right = stream(on);
  const Object counter = event(on);
  for (uint64_t i = 0; i < 200; ++i) {
    CHECK_OK(nexus_stream_wait(left, counter, 2 * i + 1));
    CHECK_OK(nexus_stream_signal(left, counter, 2 * i + 2));
    CHECK_OK(nexus_stream_wait(right, counter, 2 * i + 2));
    CHECK_OK(nexus_stream_signal(right, counter, 2 * i + 3));
  }
  CHECK_OK(nexus_event_signal(counter, 1));
  CHECK_OK(nexus_event_wait(counter, 401, NEXUS_FOREVER));
  CHECK_EQUAL(uint64_t{401}, valueOf(counter));
}

TEST(a_producer_and_a_consumer_are_replayed) {
  const Object on = device("reference:0");
  const Object full = event(on);
  const Object empty = event(on);
  const Object slot = floats(on, Floats(1024, 1));
  const Object sum = floats(on, Floats(1024, 1));
  const Object produce = schedule(on);
  const Object consume = schedule(on);
  const Object in = stream(on);
  const Object other = stream(on);
  // The slot doubles in each run; the consumer takes it over before the next.
  const Object freed = waitCommand(produce, empty, 0, 1);
  const Object doubled = scaleCommand(produce, on, slot, 2, slot, 1024);
  const Object made = signalCommand(produce, full, 1, 1);
  const Object ready = waitCommand(consume, full, 1, 1);
  Object copy;
  CHECK_OK(nexus_schedule_create_copy_command(consume, sum, slot, copy.out()));
  const Object taken = signalCommand(consume, empty, 1, 1);
  for (int i = 0; i < 5; ++i) CHECK_OK(run(consume, other, kNonBlocking));
  for (int i = 0; i < 5; ++i) CHECK_OK(run(produce, in, kNonBlocking));
  CHECK_OK(nexus_event_wait(empty, 5, NEXUS_FOREVER));
  CHECK_EQUAL(Floats(1024, 32), contents(sum));
  CHECK_EQUAL(uint64_t{5}, valueOf(full));
  CHECK_EQUAL(std::vector<int64_t>{1}, propertyNumbers(ready, {"Value"}));
  Object found;
  CHECK_OK(nexus_command_get_event(ready, found.out()));
  CHECK(found.get() == full.get());
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_get_kernel(ready, found.out()), "no kernel");
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_get_event(copy, found.out()), "no event");
}

TEST(a_run_that_is_held_back_uses_the_arguments_of_its_time) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object in = stream(on);
  const Object one = floats(on, {1, 1});
  const Object first = floats(on, {0, 0});
  const Object second = floats(on, {0, 0});
  const Object third = floats(on, {0, 0});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, one, 2, first, 2);
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_command_set_buffer(command, 2, second));
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_command_set_buffer(command, 2, third));
  Object none;
  CHECK_FAILS(NXS_InvalidOperation,
              nexus_schedule_create_copy_command(once, first, second, none.out()), "in flight");
  CHECK_OK(run(once));  // another stream, which nothing holds back
  CHECK_EQUAL((Floats{2, 2}), contents(third));
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{2, 2}), contents(first));
  CHECK_EQUAL((Floats{2, 2}), contents(second));
  const float zero = 0;
  CHECK_OK(nexus_buffer_fill(third, &zero, sizeof(zero), nullptr, 1));
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{2, 2}), contents(third));
}

TEST(held_work_keeps_what_it_needs) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  Object in = stream(on);
  const Object b = floats(on, {0, 0});
  {
    const Object a = floats(on, {4, 5});
    const Object middle = floats(on, {0, 0});
    const Object once = schedule(on);
    scaleCommand(once, on, a, 2, middle, 2);
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(nexus_buffer_copy_to_buffer(middle, b, in, 0));
    CHECK_OK(nexus_close(once));
  }
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{8, 10}), contents(b));
}

TEST(closing_a_stream_cancels_what_it_holds_back) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object done = event(on);
  const Object in = stream(on);
  const Object other = stream(on);
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  CHECK_OK(nexus_stream_signal(in, done, 1));
  CHECK_OK(nexus_stream_wait(other, done, 1));
  CHECK_OK(nexus_close(in));
  CHECK_FAILS(NXS_Cancelled, nexus_event_wait(done, 1, NEXUS_FOREVER), "closed");
  CHECK_EQUAL(std::string("Canceled"), propertyText(done, {"Status"}));
  CHECK_FAILS(NXS_Cancelled, nexus_stream_synchronize(other, NEXUS_FOREVER), "closed");
  CHECK_OK(nexus_event_signal(done, 1));
  CHECK_OK(nexus_event_wait(done, 1, NEXUS_FOREVER));
}

TEST(closing_an_event_cancels_those_who_wait) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object in = stream(on);
  const Object a = floats(on, {0, 0});
  const float one = 1;
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), in, 0));
  std::atomic<nxs_status> status{NXS_Success};
  std::thread waiter([&] { status = nexus_event_wait(gate, 1, NEXUS_FOREVER); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_OK(nexus_close(gate));
  waiter.join();
  CHECK(status == NXS_Cancelled || status == NXS_InvalidEvent);
  CHECK_FAILS(NXS_Cancelled, nexus_stream_synchronize(in, NEXUS_FOREVER), "event was closed");
  CHECK_FAILS(NXS_Cancelled, nexus_buffer_fill(a, &one, sizeof(one), in, 0), "event was closed");
  CHECK_FAILS(NXS_InvalidEvent, nexus_event_signal(gate, 1), "closed");
}

TEST(a_failure_reaches_those_who_wait_with_its_cause) {
  const Object on = device("reference:0");
  const Object counter = event(on);
  const Object in = stream(on);
  const Object other = stream(on);
  const Object once = failing(on);
  CHECK_OK(run(once, in, kNonBlocking));
  const nxs_status signalled = nexus_stream_signal(in, counter, 1);
  if (signalled == NXS_Success) {  // else the stream had failed already, and said so
    CHECK_FAILS(NXS_InternalError, nexus_event_wait(counter, 1, NEXUS_FOREVER), "always fails");
    const nxs_status waited = nexus_stream_wait(other, counter, 1);
    if (waited == NXS_Success) {
      CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(other, NEXUS_FOREVER),
                  "always fails");
    }
  }
  CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(in, NEXUS_FOREVER), "reference",
              "always fails");
  CHECK_FAILS(NXS_InternalError, run(once, in, kNonBlocking), "always fails");
  const Object fresh = stream(on);
  const Object a = floats(on, {0, 0});
  const float one = 1;
  CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), fresh, 1));
}

TEST(a_default_stream_goes_on_once_its_failure_was_told) {
  const Object on = device("reference:0");
  const Object a = floats(on, {0, 0});
  const Object once = failing(on);
  Object in;
  CHECK_OK(nexus_device_get_default_stream(on, in.out()));
  const float one = 1;
  CHECK_FAILS(NXS_InternalError, run(once), "always fails");
  CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), nullptr, 1));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(in, NEXUS_FOREVER), "always fails");
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{1, 1}), contents(a));
  CHECK_FAILS(NXS_InvalidOperation, nexus_close(in), "stream");
}

TEST(a_buffer_is_mapped_anew_once_a_failure_was_told) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object large = floats(on, Floats(1 << 24));
  const Object once = failing(on);
  const Object busy = stream(on);
  const Object counter = event(on);
  const float one = 1;
  CHECK_OK(nexus_buffer_fill(large, &one, sizeof(one), busy, 0));
  CHECK_OK(nexus_stream_signal(busy, counter, 1));
  Object in;
  CHECK_OK(nexus_device_get_default_stream(on, in.out()));
  CHECK_OK(nexus_stream_wait(in, counter, 1));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  void *address = nullptr;
  CHECK_FAILS(NXS_InternalError, nexus_buffer_get_host_pointer(a, &address), "always fails");
  CHECK_OK(nexus_buffer_get_host_pointer(a, &address));
  CHECK_EQUAL(1.0F, *static_cast<const float *>(address));
}

TEST(events_go_from_one_backend_to_another) {
  const Object here = device("reference:0");
  const Object there = device("cpu:0");
  const Object counter = event(here);
  const Object left = stream(here);
  const Object right = stream(there);
  const Object a = floats(there, {0, 0});
  const float one = 1;
  CHECK_OK(nexus_stream_wait(right, counter, 1));
  CHECK_OK(nexus_buffer_fill(a, &one, sizeof(one), right, 0));
  CHECK_OK(nexus_stream_signal(left, counter, 1));
  CHECK_OK(nexus_stream_synchronize(right, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{1, 1}), contents(a));
  CHECK_OK(nexus_stream_signal(right, counter, 2));
  CHECK_OK(nexus_event_wait(counter, 2, NEXUS_FOREVER));
}

TEST(runs_of_a_cut_schedule_in_two_streams_do_not_overlap) {
  const Object on = device("reference:0");
  const Object gate = event(on);
  const Object passed = event(on);
  const Object left = stream(on);
  const Object right = stream(on);
  const Object a = floats(on, {1, 1});
  const Object once = schedule(on);
  scaleCommand(once, on, a, 2, a, 2);
  signalCommand(once, passed, 1, 1);
  waitCommand(once, gate, 1, 0);
  scaleCommand(once, on, a, 3, a, 2);
  CHECK_OK(run(once, left, kNonBlocking));
  CHECK_OK(run(once, right, kNonBlocking));
  CHECK_OK(nexus_event_wait(passed, 1, NEXUS_FOREVER));
  CHECK_FAILS(NXS_Timeout, nexus_event_wait(passed, 2, 5 * kMillisecond), "event");
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL((Floats{36, 36}), contents(a));
}

TEST(a_wait_is_interrupted_between_its_parts) {
  const Object on = device("reference:0");
  const Object counter = event(on);
  static std::atomic<int> asked{0};
  nexus_set_interrupt_check([](void *) -> int32_t { return asked.fetch_add(1) == 1 ? 1 : 0; },
                            nullptr);
  CHECK_FAILS(NXS_Cancelled, nexus_event_wait(counter, 1, NEXUS_FOREVER), "interrupted");
  CHECK_EQUAL(2, asked.load());
  nexus_set_interrupt_check(nullptr, nullptr);
  CHECK_OK(nexus_event_signal(counter, 1));
  CHECK_OK(nexus_event_wait(counter, 1, NEXUS_FOREVER));
}

}  // namespace
