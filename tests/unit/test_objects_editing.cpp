// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "backends.hpp"

using namespace objects;

namespace {

Object copyCommand(nexus_schedule *schedule, nexus_buffer *to, nexus_buffer *from) {
  Object command;
  CHECK_OK(nexus_schedule_create_copy_command(schedule, to, from, command.out()));
  return command;
}

std::atomic<int> given_back{0};

template <std::size_t Count>
nexus_buffer_desc over(float (&values)[Count]) {
  nexus_buffer_desc desc = describe(sizeof(values), NXS_DataType_F32);
  desc.settings = NXS_BufferSettings_Maintain;
  desc.host_data = values;
  desc.host_release = [](void *) { ++given_back; };
  return desc;
}

}  // namespace

TEST(a_copy_command_reads_the_programs_memory_at_each_run) {
  for (const char *name : kBackends) {
    const Object on = device(name);
    const Object out = floats(on, {0, 0, 0});
    float values[] = {1, 2, 3};
    given_back = 0;
    Object memory;
    const nexus_buffer_desc desc = over(values);
    CHECK_OK(nexus_create_system_buffer(&desc, memory.out()));
    Object copies = schedule(on);
    Object command = copyCommand(copies, out, memory);
    memory.reset();
    CHECK_OK(run(copies));
    CHECK_EQUAL((Floats{1, 2, 3}), contents(out));
    values[1] = 5;
    CHECK_OK(run(copies));
    CHECK_EQUAL((Floats{1, 5, 3}), contents(out));
    CHECK_EQUAL(0, given_back.load());
    CHECK_OK(nexus_command_remove(command));
    CHECK_OK(run(copies));
    CHECK_EQUAL(1, given_back.load());
    command.reset();
    copies.reset();
    CHECK_EQUAL(1, given_back.load());
  }
}

TEST(a_system_buffer_over_memory_needs_memory) {
  float values[1] = {};
  nexus_buffer_desc desc = over(values);
  Object memory;
  desc.host_data = nullptr;
  CHECK_FAILS(NXS_InvalidHostPtr, nexus_create_system_buffer(&desc, memory.out()), "host_data");
  desc = over(values);
  desc.settings |= NXS_BufferSettings_OnDevice;
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(&desc, memory.out()), "settings");
  desc.settings = 0;
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(&desc, memory.out()), "host_release");
}

TEST(a_backend_that_cannot_join_schedules_takes_changes_of_nested_ones) {
  for (const uint64_t lacks : {uint64_t{0}, uint64_t{NXS_Capability_NestedSchedule}}) {
    const Object on = deviceWithout(lacks);
    const Object one = floats(on, {1});
    const Object two = floats(on, {2});
    const Object out = floats(on, {0});
    const Object last = floats(on, {0});
    const Object inner = schedule(on);
    const Object copy = copyCommand(inner, out, one);
    const Object scale = scaleCommand(inner, on, out, 10, last, 1);
    const Object outer = schedule(on);
    Object nested;
    CHECK_OK(nexus_schedule_create_schedule_command(outer, inner, nested.out()));
    const Object in = stream(on);
    const Object go = event(on);
    CHECK_OK(nexus_stream_wait(in, go, 1));
    CHECK_OK(run(outer, in, kNonBlocking));
    CHECK_OK(nexus_command_set_buffer(copy, 1, two));
    CHECK_OK(run(outer, in, kNonBlocking));
    CHECK_OK(nexus_command_set_enabled(scale, 0));
    CHECK_OK(nexus_command_set_buffer(copy, 1, one));
    CHECK_OK(run(outer, in, kNonBlocking));
    CHECK_FAILS(NXS_InvalidOperation, nexus_command_remove(copy), "in flight");
    CHECK_OK(nexus_event_signal(go, 1));
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK_EQUAL(Floats{1}, contents(out));
    CHECK_EQUAL(Floats{20}, contents(last));
  }
}

TEST(one_thread_changes_a_schedule_while_others_run_it) {
  for (const char *name : kBackends) {
    const Object on = device(name);
    const Object sources[] = {floats(on, {1}), floats(on, {2})};
    const Object out = floats(on, {1});
    const Object spare = floats(on, {0});
    const Object once = schedule(on);
    const Object copy = copyCommand(once, out, sources[0]);
    const Object other = copyCommand(once, spare, out);
    std::atomic<int> wrong{0};
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; ++number) {
      threads.emplace_back([&] {
        const Object in = stream(on);
        while (!ended) {
          if (run(once, in, kNonBlocking) != NXS_Success) ++wrong;
          if (nexus_stream_synchronize(in, NEXUS_FOREVER) != NXS_Success) ++wrong;
        }
      });
    }
    for (int i = 0; i < 200; ++i) {
      CHECK_OK(nexus_command_set_buffer(copy, 1, sources[i % 2]));
      CHECK_OK(nexus_command_set_enabled(other, i % 3 == 0 ? 0 : 1));
    }
    ended = true;
    for (std::thread &thread : threads) thread.join();
    CHECK_EQUAL(0, wrong.load());
    CHECK_OK(run(once));
    CHECK_EQUAL(Floats{2}, contents(out));
  }
}
