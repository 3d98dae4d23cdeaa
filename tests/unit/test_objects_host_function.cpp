// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "backends.hpp"

using namespace objects;

namespace {

/// A function for schedules that counts its calls and its releases.
struct Function {
  explicit Function(std::function<nxs_status(const nxs_sink *, const nxs_sink *)> what)
      : body(std::move(what)) {}
  explicit Function(std::function<void()> what)
      : body([what = std::move(what)](const nxs_sink *, const nxs_sink *) {
          what();
          return NXS_Success;
        }) {}

  nexus_host_function description() {
    nexus_host_function made{};
    made.struct_size = sizeof(made);
    made.name = {"report", 6};
    made.call = [](void *context, const nxs_sink *text, const nxs_sink *log) {
      auto &self = *static_cast<Function *>(context);
      ++self.calls;
      return self.body(text, log);
    };
    made.context = this;
    made.release = [](void *context) { ++static_cast<Function *>(context)->releases; };
    return made;
  }

  std::function<nxs_status(const nxs_sink *, const nxs_sink *)> body;
  std::atomic<int> calls{0};
  std::atomic<int> releases{0};
};

nxs_status addFunction(nexus_schedule *schedule, Function &function) {
  const nexus_host_function description = function.description();
  Object command;
  return nexus_schedule_create_host_command(schedule, &description, command.out());
}

void aWhile() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

// Without the capability, libnexus polls.
TEST(a_function_is_called_between_the_commands_around_it) {
  for (const uint64_t lacks : {uint64_t{0}, uint64_t{NXS_Capability_HostCallback}}) {
    const Object on = deviceWithout(lacks);
    const Object numbers = floats(on, {1});
    const Object doubled = floats(on, {0});
    const Object in = stream(on);
    float seen = 0;
    Function function([&] {
      aWhile();
      CHECK_OK(nexus_buffer_copy_to_host(doubled, 0, &seen, sizeof(seen), nullptr, 1));
    });
    const Object once = schedule(on);
    scaleCommand(once, on, numbers, 2, doubled, 1);
    CHECK_OK(addFunction(once, function));
    scaleCommand(once, on, doubled, 2, numbers, 1);
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK_EQUAL(8.0F, seen);
    CHECK_EQUAL(Floats{16}, contents(numbers));
    CHECK_EQUAL(2, function.calls.load());
    CHECK_OK(nexus_close(once));
    CHECK_EQUAL(1, function.releases.load());
  }
}

TEST(a_function_that_fails_gives_the_error_its_status_text_and_log) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  Function function([](const nxs_sink *text, const nxs_sink *log) {
    text->write(text->context, "no paper", 8);
    log->write(log->context, "line 1\nline 2", 13);
    return NXS_OutOfResources;
  });
  const Object once = schedule(on);
  CHECK_OK(addFunction(once, function));
  CHECK_FAILS(NXS_OutOfResources, run(once, in, 0),
              "run 1: command 0 (host function 'report') failed: no paper");
  nexus_error_info error{};
  error.struct_size = sizeof(error);
  nexus_get_last_error(&error);
  CHECK_EQUAL("line 1\nline 2", std::string(error.log.data, error.log.size));
}

TEST(invalid_functions_are_refused_and_not_released) {
  const Object on = device("reference:0");
  const Object once = schedule(on);
  Function function([] {});
  Object command;
  nexus_host_function invalid = function.description();
  invalid.call = nullptr;
  CHECK_FAILS(NXS_InvalidValue, nexus_schedule_create_host_command(once, &invalid, command.out()),
              "function->call is NULL");
  invalid = function.description();
  invalid.name = {"\xff", 1};
  CHECK_FAILS(NXS_InvalidValue, nexus_schedule_create_host_command(once, &invalid, command.out()),
              "function->name");
  invalid.struct_size = 8;
  CHECK_FAILS(NXS_InvalidValue, nexus_schedule_create_host_command(once, &invalid, command.out()),
              "nexus_host_function");
  CHECK_FAILS(NXS_InvalidValue, nexus_schedule_create_host_command(once, nullptr, command.out()),
              "function is NULL");
  CHECK_OK(nexus_close(once));
  CHECK_FAILS(NXS_InvalidSchedule, addFunction(once, function), "closed");
  CHECK_EQUAL(0, function.releases.load());
}

TEST(a_function_that_is_refused_in_flight_stays_the_programs) {
  const Object on = device("reference:0");
  const Object never = event(on);
  const Object in = stream(on);
  const Object once = schedule(on);
  Function first([] {});
  Function refused([] {});
  CHECK_OK(addFunction(once, first));
  CHECK_OK(nexus_stream_wait(in, never, 1));
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_FAILS(NXS_InvalidOperation, addFunction(once, refused), "in flight");
  CHECK_EQUAL(0, refused.releases.load());
  CHECK_OK(nexus_event_signal(never, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
}

TEST(closing_the_stream_lets_a_begun_call_go_on) {
  const Object on = device("reference:0");
  const Object numbers = floats(on, {1});
  const Object doubled = floats(on, {0});
  std::atomic<bool> begun{false};
  std::atomic<bool> go{false};
  Function function([&] {
    begun = true;
    while (!go) aWhile();
  });
  Function last([] {});
  {
    const Object once = schedule(on);
    CHECK_OK(addFunction(once, function));
    scaleCommand(once, on, numbers, 2, doubled, 1);
    CHECK_OK(addFunction(once, last));
    const Object in = stream(on);
    CHECK_OK(run(once, in, kNonBlocking));
    while (!begun) aWhile();
    CHECK_OK(nexus_close(once));
    CHECK_OK(nexus_close(in));
  }
  go = true;
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_EQUAL(Floats{2}, contents(doubled));
  CHECK_EQUAL(1, last.calls.load());
  CHECK_EQUAL(1, last.releases.load());
}

TEST(threads_run_functions_that_run_schedules_with_functions) {
  const Object on = device("reference:0");
  Function inner([] {});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Object in = stream(on);
      const Object nested = schedule(on);
      CHECK_OK(addFunction(nested, inner));
      Function outer([&] { wrong += run(nested, nullptr, 0) == NXS_Success ? 0 : 1; });
      {
        const Object once = schedule(on);
        CHECK_OK(addFunction(once, outer));
        for (int k = 0; k < 10; ++k) CHECK_OK(run(once, in, kNonBlocking));
        CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
        CHECK_OK(nexus_close(once));
      }
      while (outer.releases == 0) aWhile();
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK_EQUAL(0, wrong.load());
  CHECK_EQUAL(40, inner.calls.load());
}

TEST(the_end_of_the_process_waits_for_calls_and_what_follows_them) {
  const Object on = device("reference:0");
  const Object never = event(on);
  const Object in = stream(on);
  const Object waiting = stream(on);
  Function slow([] { aWhile(); });
  Function uncalled([] {});
  const Object once = schedule(on);
  for (int i = 0; i < 3; ++i) CHECK_OK(addFunction(once, slow));
  const Object held = schedule(on);
  CHECK_OK(addFunction(held, uncalled));
  CHECK_OK(run(once, in, kNonBlocking));
  CHECK_OK(nexus_stream_wait(waiting, never, 1));
  CHECK_OK(run(held, waiting, kNonBlocking));
  CHECK_OK(nexus_shutdown(NEXUS_FOREVER));
  CHECK_EQUAL(3, slow.calls.load());
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_FAILS(NXS_Cancelled, nexus_stream_synchronize(waiting, NEXUS_FOREVER), "process ends");
  CHECK_EQUAL(0, uncalled.calls.load());
}
