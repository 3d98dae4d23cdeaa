// SPDX-License-Identifier: Apache-2.0
// The reference backend through its table: every function it has, its errors, and
// the rules of order, lifetime and failure. Its path is in NEXUS_TEST_FIRST.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

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

// Words as the argument of a call.
class text {
 public:
  explicit text(const char *words) : string_{words, std::strlen(words)} {}
  operator const nxs_string *() const { return &string_; }

 private:
  nxs_string string_;
};

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
nxs_id make_buffer(const std::vector<float> &values) {
  nxs_id id = 0;
  auto *data = const_cast<float *>(values.data());
  DO(api().CreateBuffer(device(), values.size() * sizeof(float), 0, data, &id));
  return id;
}
nxs_id make_library(const char *words = "nexus-reference 1\nfill_f32\nscale_f32\nadd_f32\nfail\n") {
  nxs_id id = 0;
  DO(api().CreateLibrary(device(), words, std::strlen(words), &id));
  return id;
}
nxs_id make_kernel(const char *name) {
  nxs_id kernel = 0;
  const nxs_id library = make_library();
  DO(api().GetKernel(library, text(name), &kernel));
  DO(api().ReleaseLibrary(library));
  return kernel;
}
nxs_id make_event(nxs_execution_settings settings = 0) {
  nxs_id id = 0;
  DO(api().CreateEvent(device(), settings, &id));
  return id;
}
nxs_id make_schedule() {
  nxs_id id = 0;
  DO(api().CreateSchedule(device(), &id));
  return id;
}

nxs_argument buffer_argument(nxs_id buffer, uint64_t size) {
  return {sizeof(nxs_argument), NXS_ArgumentKind_Buffer, 0, buffer, 0, nullptr, size};
}
nxs_argument scalar_argument(const float *value) {
  return {sizeof(nxs_argument), NXS_ArgumentKind_Scalar, 0, 0, 0, value, sizeof(*value)};
}
nxs_launch launch_of(uint64_t items) {
  return {sizeof(nxs_launch), {0, 0, 0}, {items, 1, 1}, {0, 0, 0}, 0, 0, {}};
}

// A command out = x * factor, or out = factor, of 4 elements.
nxs_id append(nxs_id schedule, const char *kernel_name, std::vector<nxs_argument> arguments) {
  const nxs_id kernel = make_kernel(kernel_name);
  nxs_id command = 0;
  DO(api().CreateCommand(schedule, kernel, &command));
  DO(api().ReleaseKernel(kernel));
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    DO(api().SetCommandArgument(command, i, &arguments[i]));
  }
  const nxs_launch launch = launch_of(4);
  DO(api().FinalizeCommand(command, &launch));
  return command;
}

std::vector<float> read(nxs_id buffer, nxs_id stream, std::size_t count = 4) {
  std::vector<float> values(count);
  nxs_ticket ticket = 0;
  DO(api().CopyBuffer(buffer, 0, values.data(), count * sizeof(float), stream, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, plugin().wait(stream, ticket).state);
  return values;
}

using Floats = std::vector<float>;

TEST(it_says_what_it_is) {
  CHECK_EQUAL("reference", std::string(plugin().plugin.name.data, plugin().plugin.name.size));
  CHECK_EQUAL(1, LoadedPlugin::number(api().GetRuntimeProperty, plugin().plugin.runtime, NP_Size));
  nxs_id none = 0;
  CHECK_EQUAL(NXS_InvalidDevice, api().GetDevice(plugin().plugin.runtime, 1, &none));
  CHECK_EQUAL(device(), device());
}

TEST(it_has_every_required_function) {
#define NEXUS_CHECK_REQUIRED(name) CHECK(api().name != nullptr);
#define NEXUS_CHECK_OPTIONAL(name)
#define NXS_FUNCTION(need, since, name, parameters) NEXUS_CHECK_##need(name)
#include <nexus-api/nxs_functions.def>
}

TEST(copies_fills_and_transfers_keep_the_order_of_the_stream) {
  const nxs_id stream = make_stream();
  const nxs_id first = make_buffer({1, 2, 3, 4});
  const nxs_id second = make_buffer({0, 0, 0, 0});
  const float nine = 9;
  const nxs_buffer_range half = {sizeof(half), first, 8, 8};
  const nxs_buffer_range target = {sizeof(target), second, 0, 8};
  nxs_ticket ticket = 0;
  DO(api().FillBuffer(stream, &half, &nine, sizeof(nine), &ticket));
  DO(api().TransferBuffer(stream, &target, &half, &ticket));
  DO(api().WriteBuffer(second, 12, &nine, sizeof(nine), stream, &ticket));
  CHECK(read(first, stream) == Floats({1, 2, 9, 9}));
  CHECK(read(second, stream) == Floats({9, 9, 0, 9}));
  CHECK_EQUAL(5, LoadedPlugin::number(api().GetStreamProperty, stream, NP_LastTicket));
}

TEST(a_schedule_runs_its_commands_in_order_and_again) {
  const nxs_id stream = make_stream();
  const nxs_id x = make_buffer({1, 2, 3, 4});
  const nxs_id schedule = make_schedule();
  const float two = 2;
  append(schedule, "scale_f32",
         {buffer_argument(x, 16), scalar_argument(&two), buffer_argument(x, 16)});
  append(schedule, "add_f32",
         {buffer_argument(x, 16), buffer_argument(x, 16), buffer_argument(x, 16)});
  CHECK_EQUAL(2, LoadedPlugin::number(api().GetScheduleProperty, schedule, NP_Size));
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, NXS_ExecutionSettings_NonBlocking, &ticket));
  DO(api().RunSchedule(schedule, stream, NXS_ExecutionSettings_NonBlocking, &ticket));
  CHECK(read(x, stream) == Floats({16, 32, 48, 64}));
  DO(api().ReleaseSchedule(schedule));
}

TEST(arguments_set_after_a_run_apply_to_later_runs_only) {
  const nxs_id stream = make_stream();
  const nxs_id out = make_buffer({0, 0, 0, 0});
  const nxs_id other = make_buffer({0, 0, 0, 0});
  const nxs_id schedule = make_schedule();
  float value = 1;
  const nxs_id command =
      append(schedule, "fill_f32", {buffer_argument(out, 16), scalar_argument(&value)});
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  value = 2;
  const nxs_argument later = scalar_argument(&value);
  const nxs_argument elsewhere = buffer_argument(other, 16);
  DO(api().SetCommandArgument(command, 0, &elsewhere));
  DO(api().SetCommandArgument(command, 1, &later));
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  CHECK(read(out, stream) == Floats({1, 1, 1, 1}));
  CHECK(read(other, stream) == Floats({2, 2, 2, 2}));
}

TEST(buffers_kernels_and_schedules_may_be_released_while_work_uses_them) {
  const nxs_id stream = make_stream();
  const nxs_id x = make_buffer({1, 2, 3, 4});
  const nxs_id out = make_buffer({0, 0, 0, 0});
  const nxs_id schedule = make_schedule();
  const float two = 2;
  const nxs_id command =
      append(schedule, "scale_f32",
             {buffer_argument(x, 16), scalar_argument(&two), buffer_argument(out, 16)});
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  DO(api().ReleaseBuffer(x));
  DO(api().ReleaseSchedule(schedule));
  const nxs_launch launch = launch_of(4);
  CHECK_EQUAL(NXS_InvalidCommand, api().FinalizeCommand(command, &launch));
  CHECK_EQUAL(NXS_InvalidSchedule, api().RunSchedule(schedule, stream, 0, &ticket));
  CHECK(read(out, stream) == Floats({2, 4, 6, 8}));
}

TEST(a_command_that_is_not_ready_is_refused) {
  const nxs_id stream = make_stream();
  const nxs_id schedule = make_schedule();
  nxs_id command = 0;
  DO(api().CreateCommand(schedule, make_kernel("fill_f32"), &command));
  nxs_ticket ticket = 0;
  CHECK_EQUAL(NXS_InvalidCommand, api().RunSchedule(schedule, stream, 0, &ticket));
  const nxs_launch launch = launch_of(4);
  CHECK_EQUAL(NXS_InvalidKernelArgs, api().FinalizeCommand(command, &launch));
  CHECK_EQUAL(-1, LoadedPlugin::number(api().GetCommandProperty, command, NP_GroupSize));
}

TEST(a_command_released_before_it_is_finalized_leaves_its_schedule) {
  const nxs_id stream = make_stream();
  const nxs_id out = make_buffer({0, 0, 0, 0});
  const nxs_id schedule = make_schedule();
  const float one = 1;
  const float two = 2;
  append(schedule, "fill_f32", {buffer_argument(out, 16), scalar_argument(&one)});
  nxs_id dropped = 0;
  DO(api().CreateCommand(schedule, make_kernel("fill_f32"), &dropped));
  const nxs_id kept =
      append(schedule, "scale_f32",
             {buffer_argument(out, 16), scalar_argument(&two), buffer_argument(out, 16)});
  DO(api().ReleaseCommand(dropped));
  DO(api().ReleaseCommand(kept));
  CHECK_EQUAL(NXS_InvalidCommand, api().ReleaseCommand(dropped));
  CHECK_EQUAL(2, LoadedPlugin::number(api().GetScheduleProperty, schedule, NP_Size));
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  CHECK(read(out, stream) == Floats({2, 2, 2, 2}));
}

TEST(a_finalize_that_fails_leaves_the_arguments_free_to_change) {
  const nxs_id schedule = make_schedule();
  nxs_id command = 0;
  DO(api().CreateCommand(schedule, make_kernel("fill_f32"), &command));
  const float one = 1;
  const nxs_argument out = buffer_argument(make_buffer({0, 0, 0, 0}), 16);
  const nxs_argument value = scalar_argument(&one);
  DO(api().SetCommandArgument(command, 0, &out));
  DO(api().SetCommandArgument(command, 1, &value));
  nxs_launch flat = launch_of(4);
  flat.group_size[0] = 1;  // and 0 work items in y and z
  CHECK(api().FinalizeCommand(command, &flat) != NXS_Success);
  CHECK_EQUAL(-1, LoadedPlugin::number(api().GetCommandProperty, command, NP_GroupSize));
  const nxs_launch launch = launch_of(4);
  DO(api().FinalizeCommand(command, &launch));
}

TEST(recording_while_a_run_is_in_flight_is_refused) {
  const nxs_id stream = make_stream();
  const nxs_id other = make_stream();
  const nxs_id gate = make_event();
  const nxs_id schedule = make_schedule();
  static std::atomic<bool> open;
  open = false;
  nxs_ticket ticket = 0;
  DO(api().EnqueueHostCallback(
      other,
      [](void *, nxs_status) {
        while (!open) {
        }
      },
      nullptr, &ticket));
  DO(api().SignalEvent(gate, other, &ticket));
  DO(api().WaitEvent(gate, stream, &ticket));
  DO(api().RunSchedule(schedule, stream, NXS_ExecutionSettings_NonBlocking, &ticket));
  nxs_id command = 0;
  CHECK_EQUAL(NXS_InvalidOperation,
              api().CreateCommand(schedule, make_kernel("fill_f32"), &command));
  open = true;
  plugin().wait(stream, ticket);
  DO(api().CreateCommand(schedule, make_kernel("fill_f32"), &command));
}

// Each of two schedules runs the same two others, in another order.
TEST(two_threads_may_run_schedules_that_share_nested_ones) {
  const nxs_id out = make_buffer({0, 0, 0, 0});
  const float one = 1;
  const nxs_id inner[] = {make_schedule(), make_schedule()};
  for (const nxs_id each : inner) {
    append(each, "fill_f32", {buffer_argument(out, 16), scalar_argument(&one)});
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
  CHECK(read(out, make_stream()) == Floats({1, 1, 1, 1}));
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

TEST(a_kernel_that_fails_fails_its_stream_with_the_cause_and_no_other) {
  const nxs_id stream = make_stream();
  const nxs_id other = make_stream();
  const nxs_id event = make_event();
  const nxs_id schedule = make_schedule();
  append(schedule, "fail", {});
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  const nxs_completion failed = plugin().wait(stream, ticket);
  CHECK_EQUAL(NXS_CompletionState_Failed, failed.state);
  CHECK_EQUAL("fail always fails", Host::error(failed.error));
  CHECK_EQUAL(NXS_InternalError, api().SignalEvent(event, stream, &ticket));
  CHECK_EQUAL("fail always fails", Host::last_error());
  DO(api().SignalEvent(event, other, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, plugin().wait(other, ticket).state);
}

TEST(a_stream_that_waits_for_a_failed_one_fails_with_the_same_error_record) {
  const nxs_id stream = make_stream();
  const nxs_id waiting = make_stream();
  const nxs_id event = make_event();
  const nxs_id schedule = make_schedule();
  append(schedule, "fail", {});
  nxs_ticket failing = 0;
  nxs_ticket behind = 0;
  nxs_ticket waited = 0;
  const nxs_id gate = make_event();
  const nxs_id opener = make_stream();
  static std::atomic<bool> open;
  open = false;
  const auto hold = [](void *, nxs_status) {
    while (!open) {
    }
  };
  DO(api().EnqueueHostCallback(opener, hold, nullptr, &waited));
  DO(api().SignalEvent(gate, opener, &waited));
  DO(api().WaitEvent(gate, stream, &waited));
  DO(api().RunSchedule(schedule, stream, NXS_ExecutionSettings_NonBlocking, &failing));
  DO(api().SignalEvent(event, stream, &behind));
  DO(api().WaitEvent(event, waiting, &waited));
  open = true;
  const nxs_completion first = plugin().wait(stream, failing);
  const nxs_completion other = plugin().wait(waiting, waited);
  CHECK_EQUAL(NXS_CompletionState_Failed, first.state);
  CHECK_EQUAL(NXS_CompletionState_Failed, other.state);
  CHECK_EQUAL(first.error, other.error);
  CHECK_EQUAL(failing - 1, first.completed);
}

TEST(a_grid_larger_than_a_buffer_fails_in_words) {
  const nxs_id stream = make_stream();
  const nxs_id small = make_buffer({1, 2});
  const nxs_id schedule = make_schedule();
  const float one = 1;
  append(schedule, "fill_f32", {buffer_argument(small, 8), scalar_argument(&one)});
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  CHECK_EQUAL(NXS_InvalidArgSize, plugin().wait(stream, ticket).status);
}

TEST(recorded_copies_and_fills_run_too) {
  const nxs_id stream = make_stream();
  const nxs_id first = make_buffer({1, 2, 3, 4});
  const nxs_id second = make_buffer({0, 0, 0, 0});
  const nxs_id schedule = make_schedule();
  const nxs_buffer_range from = {sizeof(from), first, 0, 16};
  const nxs_buffer_range to = {sizeof(to), second, 0, 16};
  const nxs_buffer_range end = {sizeof(end), second, 12, 4};
  const float nine = 9;
  nxs_id command = 0;
  DO(api().CreateCopyCommand(schedule, &to, &from, &command));
  const nxs_launch launch = launch_of(4);
  CHECK_EQUAL(NXS_InvalidOperation, api().FinalizeCommand(command, &launch));
  DO(api().CreateFillCommand(schedule, &end, &nine, sizeof(nine), &command));
  DO(api().ReleaseCommand(command));
  nxs_ticket ticket = 0;
  DO(api().RunSchedule(schedule, stream, 0, &ticket));
  CHECK(read(second, stream) == Floats({1, 2, 3, 9}));
}

TEST(a_mapping_shows_the_buffer_and_ends_once) {
  const nxs_id stream = make_stream();
  const nxs_id buffer = make_buffer({1, 2, 3, 4});
  const nxs_buffer_range range = {sizeof(range), buffer, 4, 8};
  void *pointer = nullptr;
  nxs_ticket ticket = 0;
  DO(api().MapBuffer(stream, &range, NXS_MapAccess_Write, &pointer, &ticket));
  plugin().wait(stream, ticket);
  CHECK_EQUAL(2.0f, *static_cast<float *>(pointer));
  *static_cast<float *>(pointer) = 7;
  DO(api().UnmapBuffer(stream, buffer, pointer, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, api().UnmapBuffer(stream, buffer, pointer, &ticket));
  CHECK(read(buffer, stream) == Floats({1, 7, 3, 4}));
}

TEST(kernels_describe_their_arguments) {
  const nxs_id kernel = make_kernel("scale_f32");
  nxs_argument_info info{};
  info.struct_size = sizeof(info);
  DO(api().GetKernelArgument(kernel, 1, &info));
  CHECK_EQUAL("factor", std::string(info.name.data, info.name.size));
  CHECK_EQUAL(NXS_ArgumentKind_Scalar, info.kind);
  CHECK_EQUAL(NXS_DataType_F32, info.data_type);
  CHECK_EQUAL(4u, info.size);
  CHECK_EQUAL(NXS_InvalidArgIndex, api().GetKernelArgument(kernel, 3, &info));
  CHECK_EQUAL(3, LoadedPlugin::number(api().GetKernelProperty, kernel, NP_Count));
}

TEST(libraries_that_are_none_are_refused) {
  nxs_id library = 0;
  for (const char *words : {"", "nexus-reference 2\n", "nexus-reference 1", "garbage",
                            "nexus-reference 1\nfill_f", "nexus-reference 1\nunknown\n"}) {
    CHECK_EQUAL(NXS_InvalidBinary,
                api().CreateLibrary(device(), words, std::strlen(words), &library));
  }
  CHECK_EQUAL(NXS_InvalidValue,
              api().CreateLibraryFromFile(device(), text("no such file"), &library));
  nxs_id kernel = 0;
  CHECK_EQUAL(NXS_InvalidKernelName, api().GetKernel(make_library(), text("fill"), &kernel));
}

TEST(strings_that_are_not_there_are_refused) {
  const nxs_string no_data{nullptr, 4};
  nxs_id id = 0;
  for (const nxs_string *missing : {static_cast<const nxs_string *>(nullptr), &no_data}) {
    CHECK_EQUAL(NXS_InvalidValue, api().CreateLibraryFromFile(device(), missing, &id));
    CHECK_EQUAL(0u, Host::last_error().find("path"));
    CHECK_EQUAL(NXS_InvalidValue, api().GetKernel(make_library(), missing, &id));
    CHECK_EQUAL(0u, Host::last_error().find("name"));
  }
}

TEST(time_passes_between_two_events) {
  const nxs_id stream = make_stream();
  const nxs_id start = make_event(NXS_ExecutionSettings_Timing);
  const nxs_id end = make_event(NXS_ExecutionSettings_Timing);
  nxs_ticket ticket = 0;
  DO(api().SignalEvent(start, stream, &ticket));
  DO(api().SignalEvent(end, stream, &ticket));
  nxs_completion out{};
  out.struct_size = sizeof(out);
  do {
    DO(api().SynchronizeEvent(end, UINT64_C(1000000000), &out));
  } while (out.state == NXS_CompletionState_Running);
  double nanoseconds = -1;
  DO(api().GetElapsedTime(start, end, &nanoseconds));
  CHECK(nanoseconds >= 0);
}

TEST(settings_that_it_lacks_are_refused) {
  nxs_ticket ticket = 0;
  nxs_id id = 0;
  CHECK_EQUAL(NXS_NotSupported, api().RunSchedule(make_schedule(), make_stream(),
                                                  NXS_ExecutionSettings_Capture, &ticket));
  CHECK_EQUAL(NXS_InvalidValue, api().CreateStream(device(), 3, &id));
  CHECK_EQUAL(NXS_InvalidBufferSize, api().CreateBuffer(device(), 0, 0, nullptr, &id));
  CHECK_EQUAL(NXS_NotSupported, api().CreateEvent(device(), UINT64_C(1) << 40, &id));
}

TEST(a_buffer_as_large_as_all_memory_there_could_be_is_refused) {
  nxs_id id = 0;
  for (const uint64_t less : {UINT64_C(0), UINT64_C(8), UINT64_C(63), UINT64_C(4095)}) {
    CHECK_EQUAL(NXS_MemObjectAllocationFailure,
                api().CreateBuffer(device(), UINT64_MAX - less, 0, nullptr, &id));
  }
}

}  // namespace
