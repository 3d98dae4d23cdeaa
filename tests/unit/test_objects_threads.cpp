// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <functional>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

// Runs body(number) in so many threads.
void inThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread &thread : threads) thread.join();
}

TEST(a_command_that_one_thread_removes_is_closed_for_another) {
  constexpr int count = 3000;
  const Object on = device("reference:0");
  const Object kernel = referenceKernel(on, "scale_f32");
  const Object once = schedule(on);
  std::vector<Object> commands(count);
  for (Object &command : commands) {
    CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  }
  std::atomic<int> ready{0};
  std::atomic<int> removed{0};
  std::atomic<int> wrong{0};
  inThreads(2, [&](int number) {
    for (int i = count - 1; i >= 0; --i) {  // the last one is found without moving others
      for (++ready; ready < 2 * (count - i);) {
      }
      Object of;
      const bool asks = number == 1 && i % 2 == 0;
      const nxs_status status = asks ? nexus_command_get_kernel(commands[i], of.out())
                                     : nexus_command_remove(commands[i]);
      if (!asks && status == NXS_Success) ++removed;
      if (status != NXS_Success && status != NXS_InvalidCommand) ++wrong;
    }
  });
  CHECK_EQUAL(count, removed.load());
  CHECK_EQUAL(0, wrong.load());
}

// A run that finds held work in its stream, which another thread submits before the run is held.
TEST(a_run_does_not_wait_for_itself_while_the_held_work_before_it_is_submitted) {
  constexpr uint64_t count = 10'000;
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object gate = event(on);
  const Object x = floats(on, {1, 1});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, x, 1, x, 2);
  std::atomic<uint64_t> armed{0};
  std::thread other([&] {
    for (uint64_t value = 1; value <= count; ++value) {
      while (armed < value) {
      }
      CHECK_OK(nexus_event_signal(gate, value));
    }
  });
  for (uint64_t value = 1; value <= count; ++value) {
    CHECK_OK(nexus_stream_wait(in, gate, value));
    armed = value;
    CHECK_OK(run(once, in, kNonBlocking));
  }
  other.join();
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
}

TEST(the_first_default_stream_is_the_one_that_all_threads_get) {
  const Object on = device("cpu:0");
  nexus_object *seen[4] = {};
  inThreads(4, [&](int number) {
    Object in;
    CHECK_OK(nexus_device_get_default_stream(on, in.out()));
    seen[number] = in.get();
  });
  for (const nexus_object *one : seen) CHECK(one != nullptr && one == seen[0]);
}

}  // namespace
