/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a variable of its own. */
#include <stdint.h>

static int count = 0;

void next(int *out, int32_t launch_size[6], int32_t launch_id[6], void *local_memory,
          void *barrier) {
  (void)launch_size;
  (void)launch_id;
  (void)local_memory;
  (void)barrier;
  *out = ++count;
}
