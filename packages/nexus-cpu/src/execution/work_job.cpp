// SPDX-License-Identifier: Apache-2.0
#include "execution/work_job.hpp"

#include <algorithm>
#include <atomic>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Returns the most threads to use: as many as still find work once they are awake.
unsigned threads_for(const Work &work) noexcept {
  return static_cast<unsigned>(std::min<uint64_t>(work.expected_ns() / kShortNanoseconds + 1, ~0U));
}

// Returns the units of one part: enough that taking a part costs little, even with tiny groups.
// Short work is one part, since waking a second thread would cost more than it saves.
uint64_t units_at_once(const Work &work) noexcept {
  constexpr uint64_t kPartNanoseconds = 4'000;
  const uint64_t expected = work.expected_ns();
  if (expected <= kShortNanoseconds) return work.units();
  return std::max(work.grain(), work.units() / (expected / kPartNanoseconds));
}

}  // namespace

void WorkJob::set(Work &of, void (*over)(Job &job) noexcept) noexcept {
  work = &of;
  run = [](Job &job, uint64_t begin, uint64_t end, unsigned worker) noexcept {
    static_cast<WorkJob &>(job).work->run(begin, end, worker);
  };
  done = over;
  units = of.units();
  grain = units_at_once(of);
  threads = threads_for(of);
  measure = of.wants_time();
  busy_ns.store(0, std::memory_order_relaxed);
}

}  // namespace nexus_cpu
