// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(without_a_backend_there_is_nothing_to_end) {
  CHECK_OK(nexus_shutdown(kSecond));
}

TEST(what_waits_for_nobody_fails_and_its_waiters_learn_why) {
  const Object on = device("reference:0");
  const Object cpu = device("cpu:0");
  for (nexus_device *where : {on.get(), cpu.get()}) {
    const Object never = event(where);
    const Object hung = event(where);
    const Object in = stream(where);
    CHECK_OK(nexus_stream_wait(in, never, 1));
    CHECK_OK(nexus_stream_signal(in, hung, 1));
    CHECK_OK(nexus_shutdown(kSecond));
    CHECK_FAILS(NXS_Cancelled, nexus_stream_synchronize(in, NEXUS_FOREVER), "process ends",
                "signal");
    CHECK_FAILS(NXS_Cancelled, nexus_event_wait(hung, 1, NEXUS_FOREVER), "process ends");
    CHECK_FAILS(NXS_Timeout, nexus_event_wait(never, 1, 0), "not finished yet");
  }
}

TEST(a_thread_that_waits_for_held_work_is_let_go) {
  const Object on = device("reference:0");
  const Object never = event(on);
  const Object in = stream(on);
  CHECK_OK(nexus_stream_wait(in, never, 1));
  nxs_status status = NXS_Success;
  std::thread waits([&] { status = nexus_stream_synchronize(in, NEXUS_FOREVER); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_OK(nexus_shutdown(kSecond));
  waits.join();
  CHECK_EQUAL(NXS_Cancelled, status);
}

TEST(work_that_runs_is_waited_for) {
  const Object on = device("reference:0");
  const Object a = floats(on, Floats(1 << 16, 1));
  const Object b = floats(on, Floats(1 << 16, 0));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, 1 << 16);
  const Object done = event(on);
  const Object in = stream(on);
  for (int i = 0; i < 100; ++i) CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_stream_signal(in, done, 1));
  CHECK_OK(nexus_shutdown(NEXUS_FOREVER));
  uint64_t value = 0;
  CHECK_OK(nexus_event_get_value(done, &value));
  CHECK_EQUAL(uint64_t{1}, value);
}

TEST(objects_stay_usable_and_a_second_call_does_no_harm) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object a = floats(on, {1, 2});
  CHECK_OK(nexus_shutdown(kSecond));
  CHECK_OK(nexus_shutdown(0));
  const float two = 2;
  CHECK_OK(nexus_buffer_fill(a, &two, sizeof(two), in, 1));
  CHECK_EQUAL((Floats{2, 2}), contents(a));
}

TEST(any_thread_may_end_the_process_while_others_work) {
  const Object on = device("reference:0");
  std::atomic<bool> done{false};
  std::thread works([&] {
    while (!done) {
      const Object in = stream(on);
      const Object never = event(on);
      CHECK_OK(nexus_stream_wait(in, never, 1));
    }
  });
  std::thread first([] {
    for (int i = 0; i < 50; ++i) CHECK_OK(nexus_shutdown(0));
  });
  std::thread second([] {
    for (int i = 0; i < 50; ++i) CHECK_OK(nexus_shutdown(0));
  });
  first.join();
  second.join();
  done = true;
  works.join();
}

std::atomic<int> checks{0};

TEST(an_interrupt_ends_the_wait_for_what_runs) {
  const Object on = device("reference:0");
  constexpr std::size_t kCount = 1 << 20;  // 300 runs take far longer than to submit them
  const Object a = floats(on, Floats(kCount, 1));
  const Object b = floats(on, Floats(kCount, 0));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, kCount);
  for (int i = 0; i < 300; ++i) CHECK_OK(run(once, nullptr, kNonBlocking));
  nexus_set_interrupt_check([](void *) -> int32_t { return ++checks; }, nullptr);
  CHECK_FAILS(NXS_Cancelled, nexus_shutdown(NEXUS_FOREVER), "interrupted");
  nexus_set_interrupt_check(nullptr, nullptr);
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL(2.0F, contents(b).back());
}

std::atomic<int> calls{0};

TEST(callbacks_that_are_due_are_called) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object never = event(on);
  CHECK_OK(nexus_stream_add_callback(
      in, [](void *, nxs_status status) { calls += status == NXS_Success ? 1 : 100; }, nullptr));
  CHECK_OK(nexus_stream_wait(in, never, 1));
  CHECK_OK(nexus_stream_add_callback(
      in, [](void *, nxs_status status) { calls += status == NXS_Cancelled ? 10 : 100; }, nullptr));
  CHECK_OK(nexus_shutdown(NEXUS_FOREVER));
  CHECK_EQUAL(11, calls.load());
}

}  // namespace
