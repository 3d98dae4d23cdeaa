// SPDX-License-Identifier: Apache-2.0
// The switch of stacks, the stacks, and the work items of a group as fibers.
#include "../unit/check.hpp"
#include "../unit/child.hpp"
#include "fibers/fiber_group.hpp"
#include "registers.hpp"

#include <cfenv>
#include <csignal>
#include <cstring>
#include <functional>
#include <vector>

using namespace nexus_cpu;

namespace {

// A group of items in a row whose bodies are given as a function of the item.
struct Group {
  explicit Group(int32_t count) : size{count, 1, 1}, fibers(size) {}

  // True where the group's items all ended. body calls barrier().
  bool run(const std::function<void(int32_t)> &body) {
    item_body = &body;
    started = false;
    return fibers.run([&] { body(0); });
  }

  void barrier(int32_t item, int32_t site = 1) {
    if (fibers.on_fiber() || started) return fibers.wait(site);
    const int32_t first[3] = {item, 0, 0};
    fibers.start({run_item, this, {7, 8, 9}}, first, site);
    started = true;
  }

  static void run_item(const void *self, const int32_t *item) {
    (*static_cast<const Group *>(self)->item_body)(item[0]);
  }

  int32_t size[3];
  FiberGroup fibers;
  const std::function<void(int32_t)> *item_body = nullptr;
  bool started = false;
};

// Returns whether an invalid memory access ends a child process that runs the function.
[[maybe_unused]] bool faults(void (*function)()) {
  const int status = check::statusOfChild([function] {
    (void)std::signal(SIGSEGV, SIG_DFL);
    (void)std::signal(SIGBUS, SIG_DFL);
    function();
    return true;
  });
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

}  // namespace

TEST(every_item_passes_every_barrier_in_step) {
  for (const int32_t count : {1, 2, 3, 64, 500}) {
    std::vector<int> passed(static_cast<std::size_t>(count));
    int apart = 0;
    Group group(count);
    CHECK(group.run([&](int32_t item) {
      for (int round = 0; round < 10; ++round) {
        passed[static_cast<std::size_t>(item)] = round;
        group.barrier(item);
        for (const int other : passed) apart += other != round;
        group.barrier(item);
      }
    }));
    CHECK_EQUAL(0, apart);
    for (const int rounds : passed) CHECK_EQUAL(9, rounds);
  }
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(registers_and_modes_are_each_items_own) {
  Group group(40);
  uint64_t changed = 0;
  struct Call {
    Group *group;
    int32_t item;
  };
  CHECK(group.run([&](int32_t item) {
    group.barrier(item);
    Call call{&group, item};
    for (uint64_t round = 0; round < 4; ++round) {
      changed += registers_changed(
          static_cast<uint64_t>(item) * 1000 + round,
          [](void *context) {
            const auto *at = static_cast<Call *>(context);
            at->group->barrier(at->item);
          },
          &call);
    }
  }));
  CHECK_EQUAL(0U, changed);
}
#endif

TEST(items_begin_with_the_modes_of_the_thread) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    (void)std::fesetround(mode);
    int others = 0;
    Group group(20);
    CHECK(group.run([&](int32_t item) {
      others += std::fegetround() != mode;
      group.barrier(item);
      others += std::fegetround() != mode;
    }));
    CHECK_EQUAL(0, others);
    CHECK_EQUAL(mode, std::fegetround());
  }
}

TEST(stacks_are_aligned_and_apart) {
  Group group(100);
  std::vector<uintptr_t> at(100);
  bool aligned = true;
  CHECK(group.run([&](int32_t item) {
    alignas(64) volatile char wide[64] = {};
    aligned = aligned && reinterpret_cast<uintptr_t>(&wide) % 64 == 0;
    at[static_cast<std::size_t>(item)] = reinterpret_cast<uintptr_t>(&wide);
    group.barrier(item);
  }));
  CHECK(aligned);
  for (std::size_t i = 2; i < at.size(); ++i) {
    const uintptr_t apart = at[i] > at[i - 1] ? at[i] - at[i - 1] : at[i - 1] - at[i];
    CHECK(apart >= fiber_stack_size());
  }
}

TEST(a_stack_can_be_used_whole_and_not_beyond) {
  Stacks stacks(3, 100000);
  CHECK(stacks.size() >= 100000);
  for (std::size_t i = 0; i < 3; ++i) std::memset(stacks.begin(i), 1, stacks.size());
#if !defined(NEXUS_CPU_ASAN) && !defined(NEXUS_CPU_TSAN)  // which take the signal
  static volatile char *below = nullptr;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::size_t distance : {std::size_t{1}, Stacks::kGuard}) {
      below = static_cast<char *>(stacks.begin(i)) - distance;
      CHECK(faults([] { *below = 1; }));
    }
  }
#endif
}

#if defined(NEXUS_CPU_ASAN) && !defined(NEXUS_CPU_UCONTEXT)  // whose switch removes them
TEST(an_unmapped_stack_leaves_no_red_zones) {
  static char *local = nullptr;
  {
    Fibers fibers;
    fibers.reserve(2, [](Context *context) {
      char mine = 0;  // on the stack itself: the sanitizer's own does not exist yet
      local = &mine;
      auto *const fiber = reinterpret_cast<Fiber *>(context);
      entered_fiber(fiber[0], fiber[-1]);
      switch_fiber(fiber[0], fiber[-1]);
    });
    begin_own_fiber(fibers.first()[0]);
    switch_fiber(fibers.first()[0], fibers.first()[1]);
    CHECK(__asan_region_is_poisoned(local - 8, 16) != nullptr);
  }
  CHECK(__asan_region_is_poisoned(local - 8, 16) == nullptr);
}
#endif

TEST(more_stacks_than_memory_has_room_for_is_an_error) {
  try {
    const Stacks stacks(std::size_t{1} << 10, std::size_t{1} << 50);
    CHECK(false);
  } catch (const std::system_error &error) {
    CHECK_EQUAL(ENOMEM, error.code().value());
  }
}

TEST(an_item_that_ends_early_is_found) {
  for (const int32_t loner : {0, 1, 5, 9}) {
    Group group(10);
    CHECK(!group.run([&](int32_t item) {
      group.barrier(item);
      if (item != loner) group.barrier(item);
    }));
    const BarrierFailure &failure = group.fibers.failure();
    CHECK(failure.kind == BarrierFailure::Kind::kEnded);
    CHECK_EQUAL(loner, failure.other[0]);
    CHECK(failure.waiting[0] != loner);
    CHECK_EQUAL(8, failure.group[1]);
  }
}

TEST(items_at_different_barriers_are_found_with_both_places) {
  for (const int32_t loner : {0, 1, 5, 9}) {
    for (const bool at_first : {true, false}) {
      Group group(10);
      CHECK(!group.run([&](int32_t item) {
        if (!at_first) group.barrier(item, 3);
        group.barrier(item, item == loner ? 20 : 10);
      }));
      const BarrierFailure &failure = group.fibers.failure();
      CHECK(failure.kind == BarrierFailure::Kind::kSites);
      CHECK_EQUAL(30, failure.site + failure.other_site);
      CHECK_EQUAL(loner, (failure.site == 20 ? failure.waiting : failure.other)[0]);
    }
  }
}

TEST(an_item_that_can_not_go_on_ends_its_group_on_whichever_stack) {
  for (const int32_t loner : {0, 1, 5, 9}) {
    Group group(10);
    int ended = 0;
    CHECK(!group.run([&](int32_t item) {
      group.barrier(item);
      if (item == loner) group.fibers.abandon();
      group.barrier(item);
      ++ended;
    }));
    CHECK_EQUAL(0, ended);
    CHECK(group.fibers.failure().group == Item{});  // none is noted
    CHECK(Group(10).run([](int32_t) {}));
  }
}

TEST(a_thread_goes_on_after_items_were_dropped) {
  for (int round = 0; round < 50; ++round) {
    Group failing(30);
    CHECK(!failing.run([&](int32_t item) {
      volatile char used[2000] = {};
      used[round] = 1;
      for (int i = 0; i <= item * used[round]; ++i) failing.barrier(item);
    }));
    Group group(40);
    int passed = 0;
    CHECK(group.run([&](int32_t item) {
      volatile char used[100] = {};
      group.barrier(item);
      used[round] = 1;
      passed += used[round];
    }));
    CHECK_EQUAL(40, passed);
  }
}
