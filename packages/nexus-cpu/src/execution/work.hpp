// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_WORK_HPP_
#define NEXUS_CPU_WORK_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// Shorter work, in nanoseconds, is done before another thread has woken.
inline constexpr uint64_t kShortNanoseconds = 20'000;

// Work that takes time: a kernel launch, a copy, a fill, a callback. It consists of units, which
// threads take in parts. Only one run at a time.
class Work {
 public:
  virtual ~Work() = default;

  // Runs the units in [begin, end); other threads may run others. worker is at most
  // Pool::configured_size(), which stands for a caller outside the pool.
  virtual void run(uint64_t begin, uint64_t end, unsigned worker) noexcept = 0;

  // Called when all units are done. busy_ns is the total time of all threads, 0 if unknown. Throws
  // the failure of the work.
  virtual void finish(uint64_t) {}

  // Returns the nanoseconds that one thread needs; UINT64_MAX if unknown.
  virtual uint64_t expected_ns() const noexcept = 0;

  uint64_t units() const noexcept { return units_; }
  uint64_t grain() const noexcept { return grain_; }  // units taken at once
  bool wants_time() const noexcept { return wants_time_; }

 protected:
  Work(uint64_t units, uint64_t grain, bool wants_time)
      : units_(units), grain_(grain), wants_time_(wants_time) {}
  Work(const Work &) = default;
  Work &operator=(const Work &) = default;

 private:
  uint64_t units_, grain_;
  bool wants_time_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_WORK_HPP_
