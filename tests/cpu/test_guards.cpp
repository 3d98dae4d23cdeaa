// SPDX-License-Identifier: Apache-2.0
// Kernels that access memory beyond guarded buffers, on every kind of stack.
#include "harness.hpp"

#include <initializer_list>

using namespace cpu;

static const nxs_id runtime = [] {
  setenv("NEXUS_CPU_GUARD", "1", 1);
  setenv("NEXUS_CPU_THREADS", "4", 1);
  return load();
}();

namespace {

struct Guarded {
  explicit Guarded(uint64_t count) : size(count * sizeof(int)) {
    const std::vector<int> zeros(count);
    must(table().CreateBuffer(device(), size, 0, const_cast<int *>(zeros.data()), &id));
  }
  ~Guarded() { must(table().ReleaseBuffer(id)); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  nxs_argument argument() const { return buffer_argument(id, size); }

  uint64_t size;
  nxs_id id = 0;
};

void check_refused(const nxs_completion &done, std::initializer_list<std::string_view> words) {
  check_failed(done, NXS_InvalidMemObject, words);
}

// Each item of a group of 16 reads one int, and passes it to another one behind a barrier.
nxs_completion reverse(const Guarded &values) {
  Schedule schedule;
  schedule.add(barrier_kernel("reverse"), {values.argument()}, launch({16}, {16}, 64));
  return schedule.complete(new_stream());
}

}  // namespace

TEST(faults_of_many_threads_end_the_run_once) {
  const Guarded counts(4);
  for (int turn = 0; turn < 20; ++turn) {
    Schedule schedule;
    schedule.add(range_kernel("count_3d"), {counts.argument()}, launch({4096}, {1}));
    const nxs_id stream = new_stream();
    check_refused(wait(stream, schedule.start(stream)),
                  {"the kernel 'count_3d' ", " of argument 0 (counts), which has 16 bytes"});
  }
}

TEST(a_fault_of_an_item_on_a_fiber_ends_the_run) {
  const Guarded few(10), enough(16);
  for (int turn = 0; turn < 20; ++turn) {
    check_refused(reverse(few),
                  {"the kernel 'reverse' ", " byte 40 of argument 0", "in work item (10, 0, 0)"});
    CHECK_EQUAL(NXS_CompletionState_Completed, reverse(enough).state);
  }
}

TEST(a_fault_of_the_first_item_behind_a_barrier_ends_the_run) {
  // The first item at the barrier continues on the thread's own stack, while others wait.
  const Guarded values(64), no_sums(1), enough(16);
  Schedule schedule;
  schedule.add(barrier_kernel("tree_sum"), {values.argument(), no_sums.argument()},
               launch({64}, {16}, 64));
  check_refused(schedule.complete(new_stream()),
                {"the kernel 'tree_sum' ", " of argument 1, which has 4 bytes"});
  CHECK_EQUAL(NXS_CompletionState_Completed, reverse(enough).state);
}
