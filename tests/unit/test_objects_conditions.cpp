// SPDX-License-Identifier: Apache-2.0
#include "backends.hpp"

using namespace objects;

namespace {

Object integer(nexus_device *device, int32_t value) {
  return bufferOf<int32_t>(device, {value}, NXS_DataType_I32);
}

}  // namespace

TEST(a_loop_runs_on_backends_that_lack_callbacks_or_nested_schedules) {
  for (const uint64_t lacks : {uint64_t{0}, uint64_t{NXS_Capability_HostCallback},
                               uint64_t{NXS_Capability_NestedSchedule}}) {
    const Object on = deviceWithout(lacks);
    const Object numbers = floats(on, {1});
    const Object between = floats(on, {0});
    const Object half = schedule(on);
    scaleCommand(half, on, numbers, 2, between, 1);
    const Object turn = schedule(on);
    Object command;
    CHECK_OK(nexus_schedule_create_schedule_command(turn, half, command.out()));
    scaleCommand(turn, on, between, 1, numbers, 1);
    const Object outer = schedule(on);
    const Object one = integer(on, 1);
    CHECK_OK(nexus_schedule_create_while_command(outer, one, turn, 3, command.out()));
    CHECK_OK(nexus_schedule_create_if_command(outer, one, turn, nullptr, command.out()));
    const Object in = stream(on);
    CHECK_OK(nexus_schedule_prepare(outer, in));
    CHECK_OK(run(outer, in, kNonBlocking));
    CHECK_OK(run(outer, in, kNonBlocking));
    CHECK_OK(nexus_stream_synchronize(in, NEXUS_FOREVER));
    CHECK_EQUAL(Floats{256}, contents(numbers));
  }
}

TEST(what_is_no_condition_is_refused_by_the_name_of_the_parameter) {
  const Object on = device("reference:0");
  const Object other = device("cpu:0");
  const Object outer = schedule(on);
  const Object body = schedule(on);
  const Object elsewhere = schedule(other);
  const Object value = integer(on, 1);
  nexus_schedule *cases[] = {body, nullptr};
  Object command;
  CHECK_FAILS(NXS_InvalidSchedule,
              nexus_schedule_create_if_command(outer, value, nullptr, body, command.out()),
              "then is NULL");
  CHECK_FAILS(NXS_InvalidBuffer,
              nexus_schedule_create_while_command(outer, nullptr, body, 1, command.out()),
              "condition is NULL");
  CHECK_FAILS(NXS_InvalidSchedule,
              nexus_schedule_create_switch_command(outer, value, cases, 2, command.out()),
              "cases[1] is NULL");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_schedule_create_switch_command(outer, value, nullptr, 1, command.out()),
              "cases is NULL");
  CHECK_FAILS(NXS_InvalidDevice,
              nexus_schedule_create_if_command(outer, value, body, elsewhere, command.out()),
              "otherwise");
  uint64_t count = 1;
  CHECK_OK(nexus_schedule_command_count(outer, &count));
  CHECK_EQUAL(uint64_t{0}, count);

  CHECK_OK(nexus_schedule_create_switch_command(outer, value, nullptr, 0, command.out()));
  CHECK_OK(nexus_command_body_count(command, &count));
  CHECK_EQUAL(uint64_t{0}, count);
  Object found;
  CHECK_FAILS(NXS_InvalidValue, nexus_command_get_body(command, 0, found.out()), "index is 0");
  CHECK_OK(nexus_schedule_create_schedule_command(outer, body, command.out()));
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_get_body(command, 0, found.out()),
              "command is not a condition");
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_body_count(command, &count),
              "command is not a condition");
}
