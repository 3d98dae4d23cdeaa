// SPDX-License-Identifier: Apache-2.0
// Costs of runs beside their kernels: allocations and woken threads. Builds with a sanitizer, which
// has threads of its own, check neither.
#include "../unit/counted.hpp"
#include "harness.hpp"

#include <dirent.h>
#include <unistd.h>
#include <atomic>
#include <fstream>
#include <functional>

using namespace cpu;

static const nxs_id runtime = load();

#ifdef NEXUS_TESTS_COUNT

using counted::allocations;
using counted::counting;

namespace {

// Returns whether a hundred runs in a row allocate nothing. Each of the pool's threads makes its
// fibers when it first has a group with a barrier, which may be late.
bool comes_to_allocate_nothing(const std::function<void()> &run) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    allocations = 0;
    counting = true;
    for (int i = 0; i < 100; ++i) run();
    counting = false;
    if (allocations == 0) return true;
  }
  return false;
}

bool barriers_allocate_nothing(const char *library_name, bool portable) {
  const nxs_id from = library(library_name);
  const nxs_id stream = new_stream();
  constexpr uint64_t kItems = 64, kGroups = 40;
  Shared<int> wrong(kItems * kGroups);
  Shared<int> rounds(1, 3);
  std::vector<nxs_argument> arguments = {argument(wrong), argument(rounds)};
  if (portable) arguments = {argument(wrong), scalar(rounds.host[0]), local_memory(kItems * 4)};
  Schedule schedule;
  schedule.add(kernel(from, "exchange"), arguments,
               launch({kItems * kGroups}, {kItems}, portable ? 0 : kItems * 4));
  return comes_to_allocate_nothing([&] { schedule.complete(stream); }) &&
         comes_to_allocate_nothing([&] { wait(stream, schedule.start(stream)); });
}

}  // namespace

TEST(allocations_are_counted) {
  CHECK(!comes_to_allocate_nothing([] { Shared<int> made(16); }));
}

TEST(barriers_allocate_nothing_once_the_threads_have_their_fibers) {
  CHECK(barriers_allocate_nothing("barrier_kernels.so", false));
  CHECK(barriers_allocate_nothing("barrier_ranges.so", true));
}

#if defined(__linux__)

namespace {

struct OtherThreads {
  bool asleep = true;
  uint64_t sleeps = 0;  // how often they went to sleep
};

// Without the caller.
OtherThreads other_threads() {
  OtherThreads found;
  const std::string own = std::to_string(getpid());
  DIR *folder = opendir("/proc/self/task");
  while (const dirent *entry = readdir(folder)) {
    if (entry->d_name[0] == '.' || own == entry->d_name) continue;
    std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/status");
    for (std::string key, value; file >> key && std::getline(file, value);) {
      if (key == "State:") found.asleep = found.asleep && contains(value, "S");
      if (key == "voluntary_ctxt_switches:") found.sleeps += std::stoull(value);
    }
  }
  closedir(folder);
  return found;
}

OtherThreads settled() {
  for (;;) {
    usleep(500);
    const OtherThreads found = other_threads();
    if (found.asleep) return found;
  }
}

// Counts the runs that woke a thread. Each starts when all threads sleep.
int runs_that_wake(int count, const std::function<void()> &run) {
  int woke = 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t before = settled().sleeps;
    run();
    woke += settled().sleeps != before;
  }
  return woke;
}

}  // namespace

// On a busy machine a run may be interrupted for long. The next ones then go to the threads, until
// one was measured again.
TEST(a_short_run_that_is_waited_for_wakes_no_thread) {
  const nxs_id from = library("barrier_ranges.so");
  const nxs_id stream = new_stream();
  Shared<int> wrong(64);
  const int rounds = 1;
  Schedule schedule;
  schedule.add(kernel(from, "exchange"), {argument(wrong), scalar(rounds), local_memory(256)},
               launch({64}, {64}));
  for (int i = 0; i < 5; ++i) schedule.complete(stream);
  constexpr int kRuns = 60;
  CHECK(runs_that_wake(kRuns, [&] { schedule.complete(stream); }) < kRuns / 4);
  // Checks the check: the caller can't do these runs, so they wake a thread.
  CHECK(runs_that_wake(kRuns, [&] { wait(stream, schedule.start(stream)); }) > kRuns / 2);
}

TEST(a_short_copy_wakes_no_thread) {
  const Shared<int> from(64, 1);
  std::vector<int> to(64);
  const nxs_id stream = new_stream();
  const auto copy = [&] {
    nxs_ticket ticket = 0;
    must(table().CopyBuffer(from.id, 0, to.data(), to.size() * sizeof(int), stream, &ticket));
    wait(stream, ticket);
  };
  CHECK_EQUAL(0, runs_that_wake(30, copy));
  CHECK_EQUAL(1, to[63]);
}

#endif

#else

TEST(this_build_leaves_allocation_and_threads_to_its_sanitizer) {}

#endif
