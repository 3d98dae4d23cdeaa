// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_WORK_JOB_HPP_
#define NEXUS_CPU_WORK_JOB_HPP_

#include "execution/work.hpp"
#include "pool/pool.hpp"

namespace nexus_cpu NXS_HIDDEN {

// The kind of thread that advances work; it determines what may run on the thread.
enum class ThreadKind {
  kCaller,   // runs nothing that takes time
  kBlocked,  // waits anyway: runs short work, and a share of medium work
  kWorker    // a thread of the pool: runs work that is short or has one part
};

// Returns whether a thread of the pool does the work itself.
inline bool worker_runs(const Work &work) noexcept {
  return work.expected_ns() <= kShortNanoseconds || work.units() <= work.grain();
}

// A work as a job of the pool.
struct WorkJob : Job {
  Work *work = nullptr;

  // done is Job::done.
  void set(Work &of, void (*done)(Job &job) noexcept) noexcept;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_WORK_JOB_HPP_
