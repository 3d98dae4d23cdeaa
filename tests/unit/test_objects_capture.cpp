// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backends.hpp"

using namespace objects;

namespace {

// What the functions of the device below answer. A capture becomes a fill of a buffer with 5.
struct Answers {
  nxs_status begin = NXS_Success, end = NXS_Success, nest = NXS_Success;
  int ends = 0;
  const nxs_functions *real = nullptr;
  nxs_buffer_range filled{};
};
Answers answers;

// The reference device as one that captures.
Object capturingDevice() {
  static nxs_functions table;
  const Object whole = device("reference:0");
  const auto &plugin = static_cast<nexus::core::Device *>(whole.get())->plugin();
  answers = {};
  answers.real = plugin.functions;
  table = *plugin.functions;
  table.BeginCapture = [](nxs_id) { return answers.begin; };
  table.EndCapture = [](nxs_id, nxs_id schedule, nxs_id *out) {
    ++answers.ends;
    const float five = 5;
    return answers.end != NXS_Success
               ? answers.end
               : answers.real->CreateFillCommand(schedule, &answers.filled, &five, 4, out);
  };
  table.CreateScheduleCommand = [](nxs_id schedule, nxs_id nested, nxs_id *out) {
    return answers.nest != NXS_Success ? answers.nest
                                       : answers.real->CreateScheduleCommand(schedule, nested, out);
  };
  auto *capturing = new nexus::core::Plugin(plugin);
  capturing->name = "capturing";
  capturing->functions = &table;
  capturing->capabilities |= NXS_Capability_Capture;
  Object on;
  CHECK_OK(nexus_runtime_get_device(&nexus::core::runtimeOf(*capturing), 0, on.out()));
  return on;
}

// Makes a buffer that captured work fills.
Object target(nexus_device *on) {
  Object made = floats(on, {0, 0});
  const Bytes id = property(made, "ID", NXS_ValueType_Int);
  answers.filled = {sizeof(nxs_buffer_range), 0, 0, 8};
  std::memcpy(&answers.filled.buffer, id.data.data(), sizeof(nxs_id));
  return made;
}

uint64_t countOf(nexus_schedule *of) {
  uint64_t count = 0;
  CHECK_OK(nexus_schedule_command_count(of, &count));
  return count;
}

}  // namespace

TEST(captured_work_is_recorded_again_after_changes) {
  const Object on = capturingDevice();
  const Object filled = target(on);
  const Object other = floats(on, {0, 0});
  const Object all = schedule(on);
  const Object in = stream(on);
  Object copy;
  Object captured;
  CHECK_OK(nexus_schedule_create_copy_command(all, other, filled, copy.out()));
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK(nexus_buffer_fill(filled, "1234", 4, in, 0) == NXS_InvalidOperation);
  CHECK_OK(nexus_schedule_end_capture(all, in, captured.out()));
  CHECK_OK(run(all));
  CHECK(contents(filled) == std::vector<float>({5, 5}));
  CHECK(contents(other) == std::vector<float>({0, 0}));
  CHECK_OK(nexus_command_remove(copy));
  fill(filled, 1, in);
  CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  CHECK_OK(run(all));
  CHECK(contents(filled) == std::vector<float>({5, 5}));
  CHECK(answers.ends == 1);
}

TEST(a_capture_that_is_refused_leaves_all_as_it_was) {
  const Object on = capturingDevice();
  const Object filled = target(on);
  const Object all = schedule(on);
  const Object in = stream(on);
  Object command;
  for (nxs_status *refuses : {&answers.begin, &answers.end, &answers.nest}) {
    *refuses = NXS_OutOfResources;
    const nxs_status begun = nexus_schedule_begin_capture(all, in);
    CHECK(begun == answers.begin);
    if (begun == NXS_Success) {
      CHECK(nexus_schedule_end_capture(all, in, command.out()) == NXS_OutOfResources);
    }
    *refuses = NXS_Success;
    CHECK(nexus_schedule_end_capture(all, in, command.out()) == NXS_InvalidOperation);
    CHECK(countOf(all) == 0);
    fill(filled, 2, in);
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
  }
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK_OK(nexus_schedule_end_capture(all, in, command.out()));
  CHECK_OK(run(all));
  CHECK(contents(filled) == std::vector<float>({5, 5}));
}

TEST(a_capture_ends_without_a_command_where_none_can_be_made) {
  const Object on = capturingDevice();
  const Object filled = target(on);
  const Object in = stream(on);
  const Object all = schedule(on);
  const Object elsewhere = schedule(device("cpu:0"));
  Object command;
  CHECK(nexus_schedule_begin_capture(elsewhere, in) == NXS_InvalidDevice);
  CHECK(nexus_schedule_begin_capture(all, nullptr) == NXS_InvalidStream);
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK(nexus_schedule_end_capture(elsewhere, in, command.out()) == NXS_InvalidDevice);
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK(nexus_schedule_end_capture(nullptr, in, command.out()) == NXS_InvalidSchedule);
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK_OK(nexus_schedule_end_capture(nullptr, in, nullptr));
  CHECK_OK(nexus_schedule_begin_capture(all, in));
  CHECK_OK(nexus_close(in));
  CHECK(answers.ends == 4);
  CHECK(countOf(all) == 0);
}
