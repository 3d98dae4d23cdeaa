// SPDX-License-Identifier: Apache-2.0
// Work items that wait for each other, of plain C kernels and of portable ones.
#include "../unit/child.hpp"
#include "harness.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

using namespace cpu;

static const nxs_id runtime = load();

namespace {

nxs_id portable_kernel(const char *name) {
  static const nxs_id from = library("barrier_ranges.so");
  return kernel(from, name);
}

bool all_are(const std::vector<int> &values, int expected) {
  return std::all_of(values.begin(), values.end(), [&](int value) { return value == expected; });
}

uint64_t items(Size size) {
  return size.x * size.y * size.z;
}

uint64_t launched(Size grid, Size group) {
  const auto whole = [](uint64_t n, uint64_t of) { return (n + of - 1) / of * of; };
  return whole(grid.x, group.x) * whole(grid.y, group.y) * whole(grid.z, group.z);
}

nxs_completion run(nxs_id kernel, const std::vector<nxs_argument> &arguments,
                   const nxs_launch &size) {
  Schedule schedule;
  schedule.add(kernel, arguments, size);
  return schedule.complete(new_stream());
}

nxs_completion run(const char *name, const std::vector<nxs_argument> &arguments,
                   const nxs_launch &size) {
  return run(barrier_kernel(name), arguments, size);
}

void check_exchange(Size grid, Size group, int rounds) {
  Shared<int> wrong(launched(grid, group));
  Shared<int> count(1, rounds);
  const nxs_completion done =
      run("exchange", {argument(wrong), argument(count)}, launch(grid, group, items(group) * 4));
  CHECK_EQUAL(NXS_CompletionState_Completed, done.state);
  CHECK(all_are(wrong.host, 0));
}

void check_portable_exchange(Size grid, Size group, int rounds) {
  Shared<int> wrong(launched(grid, group));
  const nxs_completion done =
      run(portable_kernel("exchange"),
          {argument(wrong), scalar(rounds), local_memory(items(group) * 4)}, launch(grid, group));
  CHECK_EQUAL(NXS_CompletionState_Completed, done.state);
  CHECK(all_are(wrong.host, 0));
}

void check_refused(const nxs_completion &done, std::initializer_list<std::string_view> words) {
  check_failed(done, NXS_InvalidKernelDefinition, words);
}

void check_others_still_run() {
  check_exchange({512}, {64}, 3);
}

}  // namespace

TEST(a_tree_sums_groups_of_every_power_of_two) {
  constexpr std::size_t n = 1 << 14;
  Shared<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values.host[i] = static_cast<float>(i % 7);
  for (std::size_t group = 1; group <= 4096; group *= 2) {
    Shared<float> sums(n / group);
    run("tree_sum", {argument(values), argument(sums)}, launch({n}, {group}, group * 4));
    std::size_t wrong = 0;
    for (std::size_t g = 0; g < n / group; ++g) {
      const auto first = values.host.begin() + static_cast<std::ptrdiff_t>(g * group);
      wrong += sums.host[g] != std::accumulate(first, first + static_cast<std::ptrdiff_t>(group),
                                               0.0f);  // small integers: exact in any order
    }
    CHECK_EQUAL(0U, wrong);
  }
}

TEST(groups_of_every_shape_meet_at_barriers) {
  for (const Size group :
       {Size{1}, Size{2}, Size{3}, Size{63}, Size{64}, Size{1000}, Size{4096}, Size{16, 16},
        Size{1, 64}, Size{3, 5, 7}, Size{1, 1, 64}, Size{8, 8, 8}, Size{16, 16, 16}}) {
    check_exchange({group.x * 3, group.y * 2, group.z * 2}, group, 5);
  }
}

TEST(groups_of_every_shape_of_portable_kernels_meet_at_barriers) {
  for (const Size group :
       {Size{1}, Size{2}, Size{63}, Size{64}, Size{1000}, Size{4096}, Size{16, 16}, Size{1, 64},
        Size{3, 5, 7}, Size{1, 1, 64}, Size{16, 16, 16}}) {
    check_portable_exchange({group.x * 3 - 1, group.y * 2, group.z * 2}, group, 5);
  }
}

TEST(a_group_that_reaches_a_barrier_runs_whole_at_the_edge_of_the_grid) {
  for (const Size grid : {Size{1}, Size{63}, Size{65}, Size{100, 3, 2}, Size{1, 1, 5}}) {
    const Size group = grid.y > 1 ? Size{16, 2, 3} : Size{64};
    check_exchange(grid, group, 3);
    Shared<int> places(launched(grid, group), -1);
    Shared<int> runs(launched(grid, group));
    run("place", {argument(places), argument(runs)}, launch(grid, group));
    CHECK(all_are(runs.host, 1));
    std::size_t wrong = 0;  // an item has its own ids after the barrier too
    for (std::size_t i = 0; i < places.host.size(); ++i) {
      wrong += places.host[i] != static_cast<int>(i % items(group)) + 3;
    }
    CHECK_EQUAL(0U, wrong);
  }
}

TEST(barriers_in_calls_of_different_depth) {
  Shared<int> reached(1024);
  run("depths", {argument(reached)}, launch({1024}, {256}));
  CHECK(all_are(reached.host, 49));
}

TEST(what_is_on_the_stack_is_whole_after_a_barrier) {
  Shared<int> sums(512);
  run("much_stack", {argument(sums)}, launch({512}, {128}));
  CHECK(all_are(sums.host, 10000));
}

TEST(groups_grow_and_shrink_from_run_to_run) {
  for (const uint64_t size : {4U, 256U, 16U, 1024U, 1U, 1024U, 300U}) {
    check_exchange({size * 5}, {size}, 4);
  }
}

TEST(threads_that_end_leave_others_running) {
  for (int round = 0; round < 20; ++round) {
    std::thread([] { check_exchange({64}, {64}, 2); }).join();
  }
}

TEST(streams_meet_at_their_own_barriers_at_the_same_time) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 5; ++round) check_exchange({4096}, {32 + 16 * t}, 6);
    });
  }
  for (std::thread &thread : threads) thread.join();
}

TEST(barriers_go_on_in_a_child_process) {
  check_exchange({640}, {64}, 3);
  CHECK_EQUAL(0, check::statusOfChild([] {
                check_exchange({640}, {64}, 3);
                check_exchange({1024}, {512}, 3);
                return check::failures() == 0;
              }));
  check_exchange({640}, {64}, 3);
}

// ---- Divergence -------------------------------------------------------

TEST(items_that_end_before_a_barrier_fail_the_run_and_only_that_stream) {
  Shared<int> values(1024, -1);
  Shared<int> n(1, 1000);
  const nxs_id failing = new_stream();
  Schedule schedule;
  schedule.add(barrier_kernel("guarded"), {argument(values), argument(n)}, launch({1024}, {64}));
  const nxs_completion done = schedule.complete(failing);
  check_refused(done, {"'guarded'", "group (15, 0, 0)", "item (40, 0, 0) of the group ended",
                       "all items of a group must reach the same barriers"});
  nxs_ticket ticket = 0;
  CHECK_EQUAL(NXS_InvalidKernelDefinition, table().RunSchedule(schedule.id, failing, 0, &ticket));
  check_others_still_run();
  n.host[0] = 1024;
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(new_stream()).state);
  CHECK_EQUAL(1023, values.host[1023]);
}

TEST(one_item_that_ends_early_is_named_whichever_it_is) {
  for (const int loner : {0, 1, 31, 62, 63}) {
    Shared<int> which(1, loner);
    const std::string item = "item (" + std::to_string(loner) + ", 0, 0) of ";
    check_refused(run("all_but_one", {argument(which)}, launch({64}, {64})),
                  {"'all_but_one'", item, "of the group ended without reaching it"});
    check_others_still_run();
    for (const int rounds : {0, 1, 2, 5}) {
      Shared<int> count(1, rounds);
      const std::vector<nxs_argument> arguments = {argument(which), argument(count)};
      check_refused(run("one_more", arguments, launch({640}, {64})),
                    {"'one_more'", "work " + item + "group", "ended without reaching it"});
      if (rounds == 0) continue;
      check_refused(run("one_less", arguments, launch({640}, {64})),
                    {"'one_less'", item, "of the group ended without reaching it"});
    }
  }
  check_others_still_run();
}

TEST(portable_items_at_different_barriers_are_named_with_both_lines) {
  for (const int loner : {0, 1, 31, 63}) {
    check_refused(run(portable_kernel("two_places"), {scalar(loner)}, launch({64}, {64})),
                  {"'two_places'", "in line 100", "in line 200", "of group (0, 0, 0)"});
  }
  check_others_still_run();
}

TEST(portable_items_that_end_before_a_barrier_are_named) {
  const int n = 1000;
  check_refused(
      run(portable_kernel("guarded"), {scalar(n)}, launch({1024}, {64})),
      {"'guarded'", "in line 300", "group (15, 0, 0)", "item (40, 0, 0) of the group ended"});
  check_portable_exchange({512}, {64}, 3);
}

TEST(groups_that_fail_at_once_on_all_threads_give_one_error) {
  for (int round = 0; round < 20; ++round) {
    Shared<int> which(1, round % 16), count(1, 2);
    check_refused(run("one_less", {argument(which), argument(count)}, launch({1 << 14}, {16})),
                  {"'one_less'"});
  }
  check_others_still_run();
}
