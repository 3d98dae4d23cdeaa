// SPDX-License-Identifier: Apache-2.0
//
// Calls a plain C function as a kernel, once for each work item:
//
//   f(arg0 .. argN-1, int32_t launch_size[6], int32_t launch_id[6],
//     void *local_memory, void *barrier)
//
// Every argument is a pointer, to the buffer's data or to the scalar. launch_size is the number of
// groups in x, y, z, then the group size in x, y, z; launch_id is the group's x, y, z, then the
// work item's x, y, z.
#ifndef NEXUS_CPU_PLAIN_RANGE_HPP_
#define NEXUS_CPU_PLAIN_RANGE_HPP_

#include "fibers/fiber_group.hpp"

#include <nexus-kernel/cpu/descriptor.h>
#include <cstddef>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// The work items of one group with the same y and z.
struct PlainRow {
  void *const *arguments;
  int32_t launch_size[6];
  int32_t launch_id[6];  // the first item's; then that of the running item
  int32_t end;           // x of the last item plus 1
  bool others_done;      // set by an item if the later ones have run
  void *local_memory;
  void *barrier;
};

using PlainCaller = void (*)(void (*function)(), PlainRow &row);

// Returns the caller for a number of arguments, at most nexus_plugin::kMaxArguments.
PlainCaller plain_caller(std::size_t argument_count) noexcept;

// The object that a kernel's last argument points to. Kernel libraries call _cpu_barrier in the
// helper library, which calls reached. The helper library has the same layout.
struct Barrier {
  void (*reached)(void *barrier);  // returns when all items of the group have reached it
};

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
