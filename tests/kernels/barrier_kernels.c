/* SPDX-License-Identifier: Apache-2.0 */
/* A plain C kernel that synchronises its work items. */
#include <stdint.h>

void _cpu_barrier(void *barrier);

void reverse(int *values, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
             void *barrier) {
  int *memory = (int *)local_memory;
  int last = launch_size[3] - 1;
  memory[launch_id[3]] = values[launch_id[3]];
  _cpu_barrier(barrier);
  values[launch_id[3]] = memory[last - launch_id[3]];
}
