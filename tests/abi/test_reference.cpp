// SPDX-License-Identifier: Apache-2.0
// Schedules inside others, recorded and run by two threads at once, of the reference backend, whose
// path is in NEXUS_TEST_FIRST. nexus.conformance.capi has all else that a backend does.
#include <atomic>
#include <thread>

#include "../unit/check.hpp"
#include "fake_host.hpp"
#include "loaded_plugin.hpp"

namespace {

using Host = FakeHost<0>;

const LoadedPlugin &plugin() {
  static const LoadedPlugin one(std::getenv("NEXUS_TEST_FIRST"), RTLD_LOCAL, Host::get());
  return one;
}
const nxs_functions &api() {
  return plugin().functions;
}

// Fails the test where a call that must succeed does not.
void expect_success(nxs_status status, const char *what) {
  if (status != NXS_Success) check::fail(what, 0, Host::last_error());
}
#define DO(call) expect_success(call, #call)

nxs_id device() {
  nxs_id id = 0;
  DO(api().GetDevice(plugin().plugin.runtime, 0, &id));
  return id;
}
nxs_id make_stream() {
  nxs_id id = 0;
  DO(api().CreateStream(device(), 0, &id));
  return id;
}
nxs_id make_schedule() {
  nxs_id id = 0;
  DO(api().CreateSchedule(device(), &id));
  return id;
}

// Each of two schedules runs the same two others, in another order.
TEST(two_threads_may_run_schedules_that_share_nested_ones) {
  int values[4] = {};
  nxs_id out = 0;
  DO(api().CreateBuffer(device(), sizeof(values), NXS_BufferSettings_Maintain, values, &out));
  const nxs_buffer_range all = {sizeof(all), out, 0, sizeof(values)};
  const int one = 1;
  const nxs_id inner[] = {make_schedule(), make_schedule()};
  for (const nxs_id each : inner) {
    nxs_id command = 0;
    DO(api().CreateFillCommand(each, &all, &one, sizeof(one), &command));
  }
  const auto run = [&](nxs_id first, nxs_id second) {
    const nxs_id outer = make_schedule();
    const nxs_id stream = make_stream();
    nxs_id command = 0;
    DO(api().CreateScheduleCommand(outer, first, &command));
    DO(api().CreateScheduleCommand(outer, second, &command));
    nxs_ticket ticket = 0;
    for (int i = 0; i < 500; ++i) {
      DO(api().RunSchedule(outer, stream, NXS_ExecutionSettings_NonBlocking, &ticket));
    }
    CHECK_EQUAL(NXS_CompletionState_Completed, plugin().wait(stream, ticket).state);
  };
  std::thread other([&] { run(inner[1], inner[0]); });
  run(inner[0], inner[1]);
  other.join();
  CHECK_EQUAL(1, values[3]);
}

TEST(two_threads_cannot_close_a_circle_of_schedules) {
  for (int i = 0; i < 200; ++i) {
    const nxs_id first = make_schedule();
    const nxs_id second = make_schedule();
    std::atomic<int> ready{0};
    const auto nest = [&](nxs_id outer, nxs_id inner) {
      nxs_id command = 0;
      for (++ready; ready < 2;) {
      }
      return api().CreateScheduleCommand(outer, inner, &command);
    };
    nxs_status theirs = NXS_Success;
    std::thread other([&] { theirs = nest(second, first); });
    const nxs_status ours = nest(first, second);
    other.join();
    CHECK((ours == NXS_Success) != (theirs == NXS_Success));
    CHECK_EQUAL(NXS_InvalidOperation, ours == NXS_Success ? theirs : ours);
    DO(api().ReleaseSchedule(first));
    DO(api().ReleaseSchedule(second));
  }
}

}  // namespace
