// SPDX-License-Identifier: Apache-2.0
//
// Work that was held back and is lost with its stream, behind work that was submitted and goes on.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends.hpp"
#include "stream/in_flight_set.hpp"
#include "stream/stream.hpp"

using namespace objects;

namespace {

// Stops a stream where it is put into it, until it is opened.
class Gate {
 public:
  Gate(nexus_device *device, nexus_stream *stream) {
    const nexus::core::Plugin &plugin = static_cast<nexus::core::Device *>(device)->plugin();
    nxs_ticket ticket = 0;
    plugin.call(&nxs_functions::EnqueueHostCallback, "stop a stream", nexus_object_get_id(stream),
                &Gate::pass, static_cast<void *>(this), &ticket);
  }
  ~Gate() {
    open();
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return passed_; });
  }

  void open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  static void pass(void *context, nxs_status) {
    auto &gate = *static_cast<Gate *>(context);
    std::unique_lock<std::mutex> lock(gate.mutex_);
    gate.changed_.wait(lock, [&gate] { return gate.open_; });
    gate.passed_ = true;
    gate.changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;    // under mutex_
  bool passed_ = false;  // under mutex_
};

// In the stream: a fill that was submitted, and one that is held back and lost.
void fillAndLose(nexus_device *on, nexus_stream *in, nexus_buffer *buffer) {
  const Object never = event(on);
  fill(buffer, 3, in);
  CHECK_OK(nexus_stream_wait(in, never, 1));
  fill(buffer, 4, in);
  CHECK_OK(nexus_close(in));
}

TEST(maintained_memory_stays_until_the_work_before_the_lost_one_is_done) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    Gate gate(on, in);
    alignas(64) float values[4] = {1, 1, 1, 1};
    std::atomic<int> released{0};
    const Object buffer = maintained(
        on, values, [](void *count) { ++*static_cast<std::atomic<int> *>(count); }, &released);
    fillAndLose(on, in, buffer);
    CHECK_OK(nexus_close(buffer));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    CHECK_EQUAL(0, released.load());
    gate.open();
    while (released == 0) std::this_thread::yield();
    CHECK_EQUAL(3.0F, values[3]);
  }
}

TEST(the_host_reads_a_buffer_after_the_work_before_the_lost_one) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object buffer = floats(on, Floats(4, 1));
    Gate gate(on, in);
    fillAndLose(on, in, buffer);
    std::thread opens([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      gate.open();
    });
    void *memory = nullptr;
    CHECK_OK(nexus_buffer_get_host_pointer(buffer, &memory));
    CHECK_EQUAL(3.0F, *static_cast<float *>(memory));
    opens.join();
  }
}

TEST(a_device_waits_for_the_work_before_the_lost_one) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object buffer = floats(on, Floats(4, 1));
    Gate gate(on, in);
    fillAndLose(on, in, buffer);
    CHECK_FAILS(NXS_Timeout, nexus_device_synchronize(on, kMillisecond), "stream");
    gate.open();
    CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
    CHECK_EQUAL(Floats(4, 3), contents(buffer));
  }
}

TEST(a_schedule_is_in_flight_until_the_run_before_the_lost_one_is_done) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object other = stream(on);
  const Object never = event(on);
  const Object a = floats(on, Floats(4, 1));
  const Object b = floats(on, Floats(4, 0));
  const Object twice = schedule(on);
  const Object command = scaleCommand(twice, on, a, 2, b, 4);
  Gate gate(on, in);
  CHECK_OK(run(twice, in, kNonBlocking));
  CHECK_OK(nexus_stream_wait(in, never, 1));
  CHECK_OK(run(twice, in, kNonBlocking));
  CHECK_OK(nexus_close(in));
  Object added;
  const float zero = 0;
  CHECK_FAILS(NXS_InvalidOperation,
              nexus_schedule_create_fill_command(twice, b, &zero, sizeof(zero), added.out()),
              "in flight");
  gate.open();
  CHECK_OK(nexus_device_synchronize(on, NEXUS_FOREVER));
  CHECK_OK(nexus_schedule_create_fill_command(twice, b, &zero, sizeof(zero), added.out()));
  CHECK_OK(run(twice, other));
  CHECK_EQUAL(Floats(4, 0), contents(b));
}

TEST(a_lost_callback_comes_after_the_work_before_it) {
  for (const char *backend : kBackends) {
    const Object on = device(backend);
    const Object in = stream(on);
    const Object never = event(on);
    const Object buffer = floats(on, Floats(4, 1));
    Gate gate(on, in);
    std::atomic<nxs_status> called{NXS_Success};
    fill(buffer, 3, in);
    CHECK_OK(nexus_stream_wait(in, never, 1));
    CHECK_OK(nexus_stream_add_callback(
        in,
        [](void *context, nxs_status status) {
          *static_cast<std::atomic<nxs_status> *>(context) = status;
        },
        &called));
    CHECK_OK(nexus_close(in));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    CHECK_EQUAL(NXS_Success, called.load());
    gate.open();
    while (called == NXS_Success) std::this_thread::yield();
    CHECK_EQUAL(NXS_Cancelled, called.load());
  }
}

TEST(the_end_of_the_process_waits_for_lost_callbacks) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object never = event(on);
  const Object buffer = floats(on, Floats(4, 1));
  Gate gate(on, in);
  std::atomic<int> calls{0};
  fill(buffer, 3, in);
  CHECK_OK(nexus_stream_wait(in, never, 1));
  CHECK_OK(nexus_stream_add_callback(
      in, [](void *count, nxs_status) { ++*static_cast<std::atomic<int> *>(count); }, &calls));
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  CHECK_OK(nexus_shutdown(NEXUS_FOREVER));
  CHECK_EQUAL(1, calls.load());
  opens.join();
}

// Two streams, each with the last use of memory whose release waits for the other stream.
struct Crossed {
  Object streams[2];
  nxs_status waited[2] = {NXS_Success, NXS_Success};
  alignas(64) float values[2][4] = {};
  struct Release {
    Crossed &all;
    int side;
  } releases[2] = {{*this, 0}, {*this, 1}};

  Crossed(nexus_device *on, nexus_event *awaited) {
    for (int side = 0; side < 2; ++side) {
      streams[side] = stream(on);
      const Object buffer = maintained(on, values[side], &Crossed::release, &releases[side]);
      CHECK_OK(nexus_stream_wait(streams[side], awaited, 1));
      fill(buffer, 2, streams[side]);
    }
  }

  static void release(void *context) {
    constexpr uint64_t kLong = 5'000'000'000;
    const auto &released = *static_cast<Release *>(context);
    released.all.waited[released.side] =
        nexus_stream_synchronize(released.all.streams[1 - released.side], kLong);
  }
};

TEST(a_release_may_wait_for_a_stream_that_a_failed_signal_is_about_to_fail) {
  const Object on = device("reference:0");
  const Object never = event(on);
  const Object awaited = event(on);
  const Object signals = stream(on);
  CHECK_OK(nexus_stream_wait(signals, never, 1));
  CHECK_OK(nexus_stream_signal(signals, awaited, 1));
  const Crossed crossed(on, awaited);
  CHECK_OK(nexus_close(signals));
  CHECK_EQUAL(NXS_Cancelled, crossed.waited[0]);
  CHECK_EQUAL(NXS_Cancelled, crossed.waited[1]);
}

TEST(a_release_may_wait_for_a_stream_that_a_closed_event_is_about_to_fail) {
  const Object on = device("reference:0");
  const Object awaited = event(on);
  const Crossed crossed(on, awaited);
  CHECK_OK(nexus_close(awaited));
  CHECK_EQUAL(NXS_Cancelled, crossed.waited[0]);
  CHECK_EQUAL(NXS_Cancelled, crossed.waited[1]);
}

TEST(the_end_of_a_memory_tells_nobody_of_the_failure_of_its_work) {
  const Object on = device("reference:0");
  const Object once = failing(on);
  Object defaults;
  CHECK_OK(nexus_device_get_default_stream(on, defaults.out()));
  float values[4] = {};
  const Object buffer = maintained(on, values, [](void *) {});
  const Object go = event(on);
  CHECK_OK(nexus_stream_wait(defaults, go, 1));
  CHECK_OK(run(once, nullptr, kNonBlocking));
  fill(buffer, 3, nullptr);
  CHECK_OK(nexus_event_signal(go, 1));
  for (int32_t idle = 0; idle == 0;) CHECK_OK(nexus_stream_is_idle(defaults, &idle));
  CHECK_OK(nexus_close(buffer));
  CHECK_FAILS(NXS_InternalError, nexus_stream_synchronize(defaults, NEXUS_FOREVER), "fail");
  CHECK_OK(nexus_stream_synchronize(defaults, NEXUS_FOREVER));
}

TEST(a_use_that_another_thread_notes_late_hides_no_later_one) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object buffer = floats(on, Floats(4, 1));
  nexus::core::Queue &queue = static_cast<nexus::core::Stream *>(in.get())->queue();
  fill(buffer, 2, in);
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  const nexus::core::QueuePosition done = queue.newest();
  Gate gate(on, in);
  fill(buffer, 3, in);
  const nexus::core::QueuePosition submitted = queue.newest();
  const Object never = event(on);
  CHECK_OK(nexus_stream_wait(in, never, 1));
  const nexus::core::QueuePosition held = queue.newest();
  for (const nexus::core::QueuePosition newest : {submitted, held}) {
    nexus::core::InFlightSet uses;
    uses.note(queue, newest);
    uses.note(queue, done);
    CHECK(!uses.idle());
  }
}

}  // namespace
