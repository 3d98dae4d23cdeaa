// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "backends.hpp"
#include "child.hpp"
#include "stream/queue.hpp"

using namespace objects;

namespace {

// The calls, in order.
class Calls {
 public:
  struct Call {
    int number;
    nxs_status status;
    std::string text;
    std::thread::id thread;
  };

  /// Adds a callback that notes number.
  nxs_status add(nexus_stream *stream, int number) {
    auto *context = new Context{*this, number};
    const nxs_status status = nexus_stream_add_callback(stream, &Calls::called, context);
    if (status != NXS_Success) delete context;
    return status;
  }

  std::vector<Call> waitFor(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return calls_.size() >= count; });
    return calls_;
  }
  std::size_t count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_.size();
  }

 private:
  struct Context {
    Calls &calls;
    int number;
  };

  static void called(void *context, nxs_status status) {
    const auto *told = static_cast<Context *>(context);
    Calls &calls = told->calls;
    {
      const std::lock_guard<std::mutex> lock(calls.mutex_);
      calls.calls_.push_back({told->number, status, status == NXS_Success ? "" : errorText(),
                              std::this_thread::get_id()});
      calls.changed_.notify_all();
    }
    delete told;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Call> calls_;
};

std::vector<int> numbersOf(const std::vector<Calls::Call> &calls) {
  std::vector<int> numbers;
  for (const Calls::Call &call : calls) numbers.push_back(call.number);
  return numbers;
}

// Those that call back by themselves, and one that libnexus has to watch.
std::vector<Object> backends() {
  std::vector<Object> all;
  all.push_back(device("reference:0"));
  all.push_back(device("cpu:0"));
  all.push_back(deviceWithout(NXS_Capability_HostCallback));
  return all;
}

TEST(a_callback_comes_after_the_earlier_work_and_on_one_thread) {
  for (const Object &on : backends()) {
    const Object in = stream(on);
    const Object other = stream(on);
    const Object gate = event(on);
    const Object a = floats(on, {0, 0});
    Calls calls;
    CHECK_OK(calls.add(in, 1));  // of an idle stream
    calls.waitFor(1);
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    fill(a, 1, in);
    CHECK_OK(calls.add(in, 2));
    fill(a, 2, in);  // later work does not wait for it
    CHECK_OK(calls.add(in, 3));
    CHECK_OK(calls.add(other, 4));
    calls.waitFor(2);
    CHECK_EQUAL(std::size_t{2}, calls.count());
    CHECK_OK(nexus_event_signal(gate, 1));
    const std::vector<Calls::Call> all = calls.waitFor(4);
    CHECK_EQUAL((std::vector<int>{1, 4, 2, 3}), numbersOf(all));
    for (const Calls::Call &call : all) {
      CHECK_EQUAL(nxs_status{NXS_Success}, call.status);
      CHECK(call.thread == all[0].thread && call.thread != std::this_thread::get_id());
    }
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK_EQUAL((Floats{2, 2}), contents(a));
  }
}

TEST(a_callback_may_call_any_function) {
  for (const Object &on : backends()) {
    struct Context {
      const Object &in;
      const Object &done;
      const Object &buffer;
      Calls calls{};
    };
    const Object in = stream(on);
    const Object done = event(on);
    const Object a = floats(on, {0, 0});
    Context context{in, done, a};
    CHECK_OK(nexus_stream_add_callback(
        in,
        [](void *given, nxs_status status) {
          auto &told = *static_cast<Context *>(given);
          CHECK_EQUAL(nxs_status{NXS_Success}, status);
          fill(told.buffer, 4, told.in);
          CHECK_OK(nexus_stream_synchronize(told.in, NEXUS_FOREVER));
          CHECK_EQUAL((Floats{4, 4}), contents(told.buffer));
          CHECK_OK(told.calls.add(told.in, 1));
          CHECK_EQUAL(std::size_t{0}, told.calls.count());  // not inside this one
          CHECK_OK(nexus_event_signal(told.done, 1));
        },
        &context));
    CHECK_OK(nexus_event_wait(done, 1, NEXUS_FOREVER));
    context.calls.waitFor(1);
  }
}

TEST(a_callback_is_told_why_its_stream_failed) {
  for (const uint64_t lacking : {uint64_t{0}, uint64_t{NXS_Capability_HostCallback}}) {
    const Object on = lacking == 0 ? device("reference:0") : deviceWithout(lacking);
    const Object in = stream(on);
    const Object gate = event(on);
    const Object once = failing(on);
    Calls calls;
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(calls.add(in, 1));
    CHECK_OK(run(once, in, kNonBlocking));
    CHECK_OK(calls.add(in, 2));
    CHECK_OK(calls.add(in, 3));
    CHECK_OK(nexus_event_signal(gate, 1));
    const std::vector<Calls::Call> all = calls.waitFor(3);
    CHECK_EQUAL((std::vector<int>{1, 2, 3}), numbersOf(all));
    CHECK_EQUAL(nxs_status{NXS_Success}, all[0].status);
    for (const int i : {1, 2}) {
      CHECK_EQUAL(nxs_status{NXS_InternalError}, all[static_cast<std::size_t>(i)].status);
      CHECK(all[static_cast<std::size_t>(i)].text.find("always fails") != std::string::npos);
    }
    CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(in, NEXUS_FOREVER), "always fails");
    if (lacking == 0) {
      CHECK_FAILS(NXS_InternalError, calls.add(in, 4), "always fails");  // then never called
    } else {
      CHECK_OK(calls.add(in, 4));
      CHECK_EQUAL(nxs_status{NXS_InternalError}, calls.waitFor(4)[3].status);
    }
  }
}

TEST(a_failure_told_to_a_callback_is_still_told_to_the_caller) {
  const Object on = device("reference:0");
  const Object once = failing(on);
  const Object gate = event(on);
  Object defaults;
  CHECK_OK(nexus_device_get_default_stream(on, defaults.out()));
  Calls calls;
  CHECK_OK(nexus_stream_wait(defaults, gate, 1));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  CHECK_OK(calls.add(defaults, 1));
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_EQUAL(nxs_status{NXS_InternalError}, calls.waitFor(1)[0].status);
  CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(defaults, NEXUS_FOREVER), "fails");
  CHECK_OK(nexus_stream_synchronize(defaults, NEXUS_FOREVER));
}

TEST(a_closed_stream_calls_back_in_its_order) {
  for (const Object &on : backends()) {
    const Object in = stream(on);
    const Object gate = event(on);
    const Object large = floats(on, Floats(1 << 22));
    Calls calls;
    fill(large, 1, in);
    CHECK_OK(calls.add(in, 1));  // after running work
    CHECK_OK(nexus_stream_wait(in, gate, 1));
    CHECK_OK(calls.add(in, 2));  // held back
    CHECK_OK(nexus_close(in));
    const std::vector<Calls::Call> all = calls.waitFor(2);
    CHECK_EQUAL((std::vector<int>{1, 2}), numbersOf(all));
    CHECK_EQUAL(nxs_status{NXS_Success}, all[0].status);
    CHECK_EQUAL(nxs_status{NXS_Cancelled}, all[1].status);
  }
}

TEST(a_stream_may_be_dropped_while_its_callbacks_wait) {
  for (const Object &on : backends()) {
    Calls calls;
    {
      const Object in = stream(on);
      const Object large = floats(on, Floats(1 << 20));
      fill(large, 1, in);
      CHECK_OK(calls.add(in, 1));
    }
    CHECK_EQUAL(nxs_status{NXS_Success}, calls.waitFor(1)[0].status);
  }
}

TEST(threads_that_add_to_one_stream_are_each_called_in_their_order) {
  constexpr int kThreads = 4;
  constexpr int kEach = 100;
  for (const Object &on : backends()) {
    const Object in = stream(on);
    const Object gate = event(on);
    Calls calls;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kEach; ++i) {
          if (thread == 0 && i % 10 == 0) {  // now held back, now not
            CHECK_OK(nexus_stream_wait(in, gate, static_cast<uint64_t>(i) + 1));
          }
          CHECK_OK(calls.add(in, thread * kEach + i));
          if (thread == 0) CHECK_OK(nexus_event_signal(gate, static_cast<uint64_t>(i) + 1));
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
    std::vector<int> next(kThreads, 0);
    for (const int number : numbersOf(calls.waitFor(kThreads * kEach))) {
      const auto thread = static_cast<std::size_t>(number / kEach);
      CHECK_EQUAL(next[thread], number % kEach);
      ++next[thread];
    }
    CHECK_EQUAL(std::vector<int>(kThreads, kEach), next);
  }
}

TEST(callbacks_that_were_not_called_at_the_end_are_dropped) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object gate = event(on);
  static Calls calls;  // a dropped callback's context is nobody's
  CHECK_OK(calls.add(in, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  static int never = 0;
  CHECK_OK(nexus_stream_add_callback(
      in, [](void *count, nxs_status) { ++*static_cast<int *>(count); }, &never));
  nexus::core::finishCallbacks(NEXUS_FOREVER);
  CHECK_EQUAL(std::size_t{1}, calls.count());
  CHECK_OK(nexus_event_signal(gate, 1));
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_OK(calls.add(in, 2));
  calls.waitFor(2);
  CHECK_EQUAL(0, never);
}

TEST(the_child_of_a_fork_has_callbacks_of_its_own) {
  const Object on = device("cpu:0");
  const Object in = stream(on);
  const Object gate = event(on);
  Calls calls;
  CHECK_OK(calls.add(in, 1));
  calls.waitFor(1);
  CHECK_OK(nexus_stream_wait(in, gate, 1));
  CHECK_OK(calls.add(in, 2));
  CHECK_EQUAL(0, check::statusOfChild([&] {
                const int before = check::failures();
                Calls own;
                CHECK_FAILS(NXS_InvalidOperation, own.add(in, 1), "fork()");
                const Object again = device("cpu:0");
                const Object fresh = stream(again);
                CHECK_OK(own.add(fresh, 1));
                own.waitFor(1);
                return check::failures() == before;
              }));
  CHECK_OK(nexus_event_signal(gate, 1));
  calls.waitFor(2);
}

}  // namespace
