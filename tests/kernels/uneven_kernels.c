/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch whose first groups take long, in the plain C convention: each group says which thread
 * ran it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <time.h>

__attribute__((visibility("default"))) void slow_start(uint64_t *thread, const int32_t *slow_groups,
                                                       int32_t launch_size[6], int32_t launch_id[6],
                                                       void *local_memory, void *barrier);

void slow_start(uint64_t *thread, const int32_t *slow_groups, int32_t launch_size[6],
                int32_t launch_id[6], void *local_memory, void *barrier) {
  const struct timespec while_others_come = {0, 2000000};
  (void)launch_size, (void)local_memory, (void)barrier;
  if (launch_id[0] < *slow_groups) nanosleep(&while_others_come, 0);
  thread[launch_id[0]] = (uint64_t)(uintptr_t)pthread_self();
}
