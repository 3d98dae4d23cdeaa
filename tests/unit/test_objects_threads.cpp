// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "objects.hpp"

using namespace objects;

namespace {

using Floats = std::vector<float>;

// Runs body(number) in so many threads.
void inThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread &thread : threads) thread.join();
}

TEST(threads_share_a_device) {
  const Object on = device("reference:0");
  std::atomic<int> wrong{0};
  inThreads(4, [&](int number) {
    const Object a = floats(on, Floats(256, static_cast<float>(number + 1)));
    const Object b = floats(on, Floats(256, 0));
    const Object in = stream(on);
    const Object once = schedule(on);
    const Object command = scaleCommand(once, on, a, 2, b, 256);
    for (int i = 0; i < 50; ++i) {
      if (run(once, i % 2 == 0 ? in.get() : nullptr, kNonBlocking) != NXS_Success) ++wrong;
    }
    if (contents(b) != Floats(256, static_cast<float>(2 * number + 2))) ++wrong;
  });
  CHECK_EQUAL(0, wrong.load());
}

TEST(threads_run_and_rebind_one_schedule) {
  const Object on = device("reference:0");
  const Object a = floats(on, Floats(64, 1));
  const Object b = floats(on, Floats(64, 0));
  const Object c = floats(on, Floats(64, 0));
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, b, 64);
  std::atomic<int> wrong{0};
  inThreads(4, [&](int number) {
    for (int i = 0; i < 50; ++i) {
      const nxs_status status = number == 0
                                    ? nexus_command_set_buffer(command, 2, i % 2 == 0 ? c : b)
                                : number == 1 ? property(command, {"Arguments"}).status
                                              : run(once, nullptr, number == 2 ? kNonBlocking : 0);
      if (status != NXS_Success) ++wrong;
    }
  });
  CHECK_EQUAL(0, wrong.load());
  for (nexus_object *last : {b.get(), c.get()}) {
    CHECK_OK(nexus_command_set_buffer(command, 2, last));
    CHECK_OK(run(once));
    CHECK_EQUAL(Floats(64, 2), contents(last));
  }
}

TEST(threads_signal_and_wait_in_any_order) {
  const Object on = device("reference:0");
  const Object counter = event(on);
  std::atomic<int> wrong{0};
  inThreads(4, [&](int number) {
    const Object in = stream(on);
    const auto turn = static_cast<uint64_t>(number);
    for (uint64_t round = 0; round < 50; ++round) {
      const uint64_t value = round * 4 + turn;
      if (nexus_stream_wait(in, counter, value) != NXS_Success) ++wrong;
      if (nexus_stream_signal(in, counter, value + 1) != NXS_Success) ++wrong;
    }
    if (nexus_stream_synchronize(in, NEXUS_FOREVER) != NXS_Success) ++wrong;
  });
  CHECK_EQUAL(0, wrong.load());
  CHECK_OK(nexus_event_wait(counter, 200, NEXUS_FOREVER));
}

TEST(threads_close_what_others_use) {
  const Object on = device("reference:0");
  for (int round = 0; round < 10; ++round) {
    const Object a = floats(on, Floats(64, 1));
    const Object in = stream(on);
    const Object gate = event(on);
    const Object once = schedule(on);
    const Object command = scaleCommand(once, on, a, 2, a, 64);
    inThreads(4, [&](int number) {
      const float one = 1;
      for (int i = 0; i < 20; ++i) {
        nexus_object *const things[] = {a.get(), in.get(), gate.get(), once.get()};
        if (i == 10) nexus_close(things[number]);
        nexus_buffer_fill(a, &one, sizeof(one), in, 0);
        nexus_stream_wait(in, gate, static_cast<uint64_t>(i));
        run(once, in, kNonBlocking);
        nexus_event_signal(gate, static_cast<uint64_t>(i));
      }
    });
  }
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
}

TEST(a_command_that_one_thread_discards_is_closed_for_another) {
  constexpr int count = 3000;
  const Object on = device("reference:0");
  const Object kernel = referenceKernel(on, "scale_f32");
  const Object once = schedule(on);
  std::vector<Object> commands(count);
  for (Object &command : commands) {
    CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  }
  std::atomic<int> ready{0};
  std::atomic<int> discarded{0};
  std::atomic<int> wrong{0};
  inThreads(2, [&](int number) {
    for (int i = count - 1; i >= 0; --i) {  // the last one is found without moving others
      for (++ready; ready < 2 * (count - i);) {
      }
      Object of;
      const bool asks = number == 1 && i % 2 == 0;
      const nxs_status status = asks ? nexus_command_get_kernel(commands[i], of.out())
                                     : nexus_command_discard(commands[i]);
      if (!asks && status == NXS_Success) ++discarded;
      if (status != NXS_Success && status != NXS_InvalidCommand) ++wrong;
    }
  });
  CHECK_EQUAL(count, discarded.load());
  CHECK_EQUAL(0, wrong.load());
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

// What a child of fork() finds; its exit status is the number of what was wrong.
int inChild(nexus_device *old_device, nexus_buffer *old_buffer, Object &dying) {
  int wrong = 0;
  float value = 0;
  wrong += nexus_buffer_copy_to_host(old_buffer, 0, &value, 4, nullptr, 1) != NXS_InvalidOperation;
  wrong += errorText().find("fork") == std::string::npos;
  wrong += nexus_device_synchronize(old_device, NEXUS_FOREVER) != NXS_InvalidOperation;
  dying.reset();
  Object fresh;
  wrong += nexus_select_device(text("cpu:0"), fresh.out()) != NXS_Success;
  wrong += fresh.get() == old_device;
  if (wrong == 0) {
    const Object buffer = floats(fresh, {1, 2});
    wrong += contents(buffer) != Floats{1, 2};
  }
  return wrong;
}

TEST(a_child_of_fork_refuses_what_was_made_before_and_makes_new_things) {
  const Object on = device("cpu:0");
  const Object buffer = floats(on, {1, 2});
  Object dying = stream(on);
  const pid_t child = fork();
  if (child == 0) {
    _exit(inChild(on, buffer, dying));
  }
  int status = 0;
  CHECK_EQUAL(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(0, WEXITSTATUS(status));
  CHECK_EQUAL((Floats{1, 2}), contents(buffer));
}

}  // namespace
