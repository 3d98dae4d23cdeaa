// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "backends.hpp"

using namespace objects;

namespace {

// Says what the next command of the schedule follows.
nxs_status follow(nexus_schedule *schedule, std::initializer_list<nexus_command *> commands) {
  std::vector<nexus_command *> list(commands);
  list.reserve(1);  // the pointer is not NULL
  return nexus_schedule_set_after(schedule, list.data(), commands.size());
}

Object nested(nexus_schedule *outer, nexus_schedule *inner) {
  Object command;
  CHECK_OK(nexus_schedule_create_schedule_command(outer, inner, command.out()));
  return command;
}

// Makes a command that sets numbers to factor times those of another buffer.
Object scaled(nexus_schedule *to, nexus_device *on, nexus_buffer *from, float factor,
              nexus_buffer *numbers) {
  return scaleCommand(to, on, from, factor, numbers, 1);
}

using Indices = std::vector<int64_t>;

// Returns what a command follows.
Indices follows(nexus_command *command) {
  const Bytes bytes = property(command, "Predecessors", NXS_ValueType_IntVec);
  CHECK_OK(bytes.status);
  Indices indices(bytes.data.size() / sizeof(int64_t));
  std::memcpy(indices.data(), bytes.data.data(), bytes.data.size());
  return indices;
}

}  // namespace

TEST(backends_that_lack_branches_run_in_the_order_of_recording) {
  constexpr uint64_t kBranches = NXS_Capability_Branches;
  constexpr uint64_t kNesting = NXS_Capability_NestedSchedule;
  for (const uint64_t lacks : {uint64_t{0}, kBranches, kNesting, kBranches | kNesting}) {
    const Object on = deviceWithout(lacks);
    const Object top = floats(on, {1});
    const Object left = floats(on, {0});
    const Object right = floats(on, {0});
    const Object other = floats(on, {0});
    const Object bottom = floats(on, {0});
    const Object inner = schedule(on);
    const Object outer = schedule(on);
    const Object first = scaled(inner, on, top, 2, left);
    CHECK_OK(follow(inner, {}));
    const Object apart = scaled(inner, on, top, 7, other);
    CHECK_OK(follow(inner, {first}));
    const Object next = scaled(inner, on, left, 3, right);
    const Object place = nested(outer, inner);
    CHECK_OK(follow(outer, {}));
    const Object alone = scaled(outer, on, top, 1, floats(on, {0}));
    CHECK_OK(follow(outer, {place, alone}));
    const Object last = scaled(outer, on, right, 5, bottom);
    CHECK_OK(nexus_schedule_prepare(outer, nullptr));
    for (int i = 0; i < 2; ++i) {
      CHECK_OK(run(outer));
      CHECK_EQUAL(Floats{30}, contents(bottom));
      CHECK_EQUAL(Floats{7}, contents(other));
    }
  }
}

TEST(a_call_for_the_next_command_can_be_taken_back) {
  const Object on = device("reference:0");
  const Object once = schedule(on);
  const Object x = floats(on, {1});
  const Object first = scaled(once, on, x, 2, x);
  const Object second = scaled(once, on, x, 2, x);
  CHECK_OK(follow(once, {first}));
  CHECK_OK(nexus_schedule_set_after(once, nullptr, 0));
  const Object third = scaled(once, on, x, 2, x);
  CHECK_EQUAL((Indices{1}), follows(third));
  CHECK_OK(run(once));
  CHECK_EQUAL(Floats{8}, contents(x));
}

TEST(what_followed_a_removed_command_follows_what_that_followed) {
  const Object on = device("reference:0");
  const Object once = schedule(on);
  const Object x = floats(on, {1});
  const Object y = floats(on, {1});
  const Object kernel = referenceKernel(on, "scale_f32");
  const Object first = scaled(once, on, x, 2, x);
  CHECK_OK(follow(once, {}));
  const Object second = scaled(once, on, y, 2, y);
  CHECK_OK(follow(once, {first, second}));
  Object removed;
  CHECK_OK(nexus_schedule_create_command(once, kernel, removed.out()));
  const Object byDefault = scaled(once, on, x, 2, y);
  CHECK_OK(follow(once, {removed}));
  const Object given = scaled(once, on, x, 2, floats(on, {1}));
  CHECK_OK(nexus_schedule_begin_parallel(once));
  CHECK_OK(nexus_schedule_end_parallel(once));
  CHECK_OK(follow(once, {given, removed}));
  CHECK_OK(nexus_command_remove(removed));
  CHECK_FAILS(NXS_InvalidCommand, follow(once, {removed}), "after[0]", "closed");
  const Object last = scaled(once, on, y, 2, x);
  CHECK_EQUAL((Indices{0, 1}), follows(byDefault));
  CHECK_EQUAL((Indices{0, 1}), follows(given));
  CHECK_EQUAL((Indices{0, 1, 3}), follows(last));
}

TEST(the_ends_of_blocks_are_checked) {
  const Object on = device("reference:0");
  const Object once = schedule(on);
  CHECK_FAILS(NXS_InvalidOperation, nexus_schedule_end_parallel(once), "block");
  CHECK_OK(nexus_schedule_begin_parallel(once));
  CHECK_FAILS(NXS_InvalidOperation, nexus_schedule_begin_parallel(once), "block");
  CHECK_OK(nexus_schedule_end_parallel(once));
  CHECK_FAILS(NXS_InvalidOperation, nexus_schedule_end_parallel(once), "block");
}
