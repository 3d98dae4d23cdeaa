// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "backends.hpp"

using namespace objects;

namespace {

nxs_status nest(nexus_schedule *outer, nexus_schedule *nested) {
  Object command;
  return nexus_schedule_create_schedule_command(outer, nested, command.out());
}

Object containing(nexus_device *device, std::initializer_list<nexus_schedule *> nested) {
  Object outer = schedule(device);
  for (nexus_schedule *each : nested) CHECK_OK(nest(outer, each));
  return outer;
}

// Makes a schedule that doubles each number in two commands: runs that overlap lose some.
Object doubling(nexus_device *device, nexus_buffer *numbers, nexus_buffer *between) {
  Object once = schedule(device);
  scaleCommand(once, device, numbers, 2, between, 1);
  scaleCommand(once, device, between, 1, numbers, 1);
  return once;
}

}  // namespace

TEST(a_backend_that_cannot_join_schedules_runs_them_one_after_the_other) {
  const Object on = deviceWithout(NXS_Capability_NestedSchedule);
  const Object numbers = floats(on, {1});
  const Object between = floats(on, {0});
  const Object once = doubling(on, numbers, between);
  const Object twice = containing(on, {once, once});
  const Object outer = containing(on, {twice, once, twice});
  const Object in = stream(on);
  CHECK_OK(nexus_schedule_prepare(outer, in));
  CHECK_OK(run(outer, in, kNonBlocking));
  CHECK_OK(run(twice, in, kNonBlocking));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_EQUAL(Floats{128}, contents(numbers));
}

TEST(threads_run_schedules_that_share_nested_ones) {
  for (const uint64_t lacks : {uint64_t{0}, uint64_t{NXS_Capability_NestedSchedule}}) {
    const Object on = deviceWithout(lacks);
    const Object numbers = floats(on, {1});
    const Object between = floats(on, {0});
    const Object one = doubling(on, numbers, between);
    const Object other = containing(on, {one});
    const Object outers[] = {containing(on, {one, other}), containing(on, {other, one})};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (const Object &outer : outers) {
      threads.emplace_back([&] {
        const Object in = stream(on);
        for (int i = 0; i < 12; ++i) {
          if (run(outer, in, kNonBlocking) != NXS_Success) ++wrong;
        }
        if (nexus_stream_synchronize(in, NEXUS_FOREVER) != NXS_Success) ++wrong;
      });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK_EQUAL(0, wrong.load());
    CHECK_EQUAL(Floats{281474976710656.0F}, contents(numbers));  // 2 to the power of 2 x 2 x 12
  }
}

TEST(two_threads_cannot_make_a_circle_together) {
  const Object on = device("reference:0");
  for (int i = 0; i < 300; ++i) {
    const Object both[] = {schedule(on), schedule(on)};
    std::atomic<int> ready{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int number : {0, 1}) {
      threads.emplace_back([&, number] {
        for (++ready; ready < 2;) {
        }
        if (nest(both[number], both[1 - number]) == NXS_InvalidOperation) ++refused;
      });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK_EQUAL(1, refused.load());
  }
}

#if !defined(__SANITIZE_THREAD__)  // whose search for deadlocks ends at 64 locks of a thread
TEST(schedules_that_are_nested_too_deep_are_refused) {
  const Object on = device("reference:0");
  std::vector<Object> all;
  all.push_back(schedule(on));
  for (int i = 0; i < 300; ++i) all.push_back(containing(on, {all.back()}));
  CHECK_OK(run(all[200]));
  CHECK_FAILS(NXS_InvalidOperation, run(all.back()), "256", "deep");
}
#endif
