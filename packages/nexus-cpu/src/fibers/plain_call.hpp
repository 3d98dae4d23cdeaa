// SPDX-License-Identifier: Apache-2.0
//
// Calling a plain C function as a kernel, once for each work item:
//
//   f(arg0 .. argN-1, int32_t launch_size[6], int32_t launch_id[6],
//     void *local_memory, void *barrier)
//
// Every argument is a pointer, to the buffer's data or to the scalar. launch_size
// is groups x, y, z, then group size x, y, z; launch_id is group x, y, z, then work
// item x, y, z.
#ifndef NEXUS_CPU_PLAIN_CALL_HPP_
#define NEXUS_CPU_PLAIN_CALL_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {

// Work items of one group with the same y and z.
struct PlainRow {
  void *const *arguments;
  int32_t launch_size[6];
  int32_t launch_id[6];  // the first item's; then that of the item which runs
  int32_t end;           // x of the last item, and 1
  bool others_done;      // set by an item: those after it have run
  void *local_memory;
  void *barrier;
};

using PlainCaller = void (*)(void (*function)(), PlainRow &row);

// The caller for a number of arguments, at most nexus_plugin::kMaxArguments.
PlainCaller plain_caller(std::size_t argument_count) noexcept;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PLAIN_CALL_HPP_
