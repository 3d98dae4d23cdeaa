// SPDX-License-Identifier: Apache-2.0
//
// Streams that wait for each other, and events that are armed again meanwhile.
#include "backends.hpp"

using namespace objects;

namespace {

bool isDone(nexus_event *event) {
  int32_t done = -1;
  CHECK_OK(nexus_event_is_done(event, &done));
  return done == 1;
}

// ---- A stream waits for another -------------------------------------------------

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
  CHECK_EQUAL("Running", propertyText(right, {"Status"}));
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

TEST(a_buffer_is_mapped_anew_once_a_failure_was_told) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object once = failing(on);
  const Object gate = event(on);
  Object in;
  CHECK_OK(nexus_device_get_default_stream(on, in.out()));
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  CHECK_OK(nexus_event_signal(gate, 1));
  void *address = nullptr;
  CHECK_FAILS(NXS_InternalError, nexus_buffer_get_host_pointer(a, &address), "always fails");
  CHECK_OK(nexus_buffer_get_host_pointer(a, &address));
  CHECK_EQUAL(1.0F, *static_cast<const float *>(address));
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

// ---- Values ---------------------------------------------------------------------

TEST(an_event_has_every_value_of_64_bits_and_says_whether_it_is_done) {
  const Object counter = event(device("reference:0"));
  CHECK_EQUAL("Submitted", propertyText(counter, {"Status"}));
  CHECK_OK(nexus_event_signal(counter, UINT64_MAX));
  uint64_t value = 0;
  CHECK_OK(nexus_event_get_value(counter, &value));
  CHECK_EQUAL(UINT64_MAX, value);
  CHECK_EQUAL("Complete", propertyText(counter, {"Status"}));
}

// ---- One-shot events --------------------------------------------------------------

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
    CHECK_EQUAL("Canceled", propertyText(shot, {"Status"}));
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

}  // namespace
