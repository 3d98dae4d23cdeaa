// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_WORK_HPP_
#define NEXUS_CPU_WORK_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// Work of at most this many nanoseconds is over before another thread has woken.
inline constexpr uint64_t kShortNanoseconds = 20'000;

// Work of at most this many nanoseconds of one thread is shared by a caller that waits for it.
inline constexpr uint64_t kHelpedNanoseconds = 2'000'000;

// Something that takes time: a kernel's launch, a copy, a fill, a callback. It is
// a number of units, which threads take in parts. One run at a time.
class Work {
 public:
  virtual ~Work() = default;

  // Runs the units from begin to before end; other threads may run others. worker
  // is at most Pool::configured_size(), which stands for a caller outside the pool.
  virtual void run(uint64_t begin, uint64_t end, unsigned worker) noexcept = 0;

  // All units are done; busy_ns is the time of all threads together, where known,
  // else 0. Throws what went wrong.
  virtual void finish(uint64_t busy_ns) = 0;

  virtual uint64_t units() const noexcept = 0;
  virtual uint64_t grain() const noexcept = 0;  // units taken at once
  virtual bool wants_time() const noexcept = 0;

  // How long it takes one thread; UINT64_MAX where that is not known.
  virtual uint64_t expected_ns() const noexcept = 0;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_WORK_HPP_
