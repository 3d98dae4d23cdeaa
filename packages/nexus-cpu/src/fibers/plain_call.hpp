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
#ifndef NEXUS_CPU_PLAIN_CALL_HPP_
#define NEXUS_CPU_PLAIN_CALL_HPP_

#include <nexus-api/nxs.h>
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

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PLAIN_CALL_HPP_
