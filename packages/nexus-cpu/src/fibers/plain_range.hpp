// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_PLAIN_RANGE_HPP_
#define NEXUS_CPU_PLAIN_RANGE_HPP_

#include "fibers/barrier.hpp"
#include "fibers/fiber_group.hpp"
#include "fibers/plain_call.hpp"

#include <nexus-kernel/cpu_descriptor.h>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// Part of a launch of a plain C function: runs its groups one after the other, with one call per
// item.
//
// Only items within the grid run. But if a group reaches a barrier, all of its items run, also
// those of groups at the grid's edges that are outside the grid, since the whole group must reach
// the barrier.
class PlainRange {
 public:
  struct Kernel {
    PlainCaller caller;
    void (*function)();
    void *const *arguments;
    void *local_memory;
  };

  PlainRange(const Kernel &kernel, const nexus_cpu_sizes &sizes, FiberGroup &groups) noexcept;

  void run(uint64_t begin, uint64_t end) noexcept;

  // The ids of the item on the thread's own stack: group x, y, z, then item x, y, z.
  const int32_t *id() const noexcept { return row_.launch_id; }

 private:
  void run_group(uint64_t group) noexcept;
  static void run_item(const void *self, const int32_t *item);
  static void reached(void *barrier);

  struct OwnBarrier : Barrier {
    PlainRange *range;
  };

  Kernel kernel_;
  const nexus_cpu_sizes &sizes_;
  FiberGroup &groups_;
  OwnBarrier barrier_;
  PlainRow row_{};
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PLAIN_RANGE_HPP_
