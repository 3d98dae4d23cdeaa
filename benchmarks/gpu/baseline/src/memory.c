/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the peers' data, and the loop of stream-ordered allocations. */
#include "driver.h"

BASELINE_API int baseline_allocate(uint64_t bytes, uint64_t *out_address) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.allocate(out_address, bytes));
}

BASELINE_API int baseline_release(uint64_t address) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.release(address));
}

BASELINE_API int baseline_host_allocate(uint64_t bytes, void **out_memory) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.host_allocate(out_memory, bytes, 0));
}

BASELINE_API int baseline_host_release(void *memory) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.host_release(memory));
}

/* Sets the release threshold of the device's default pool, in bytes. */
BASELINE_API int baseline_keep_freed(uint64_t bytes) {
  const int release_threshold = 4;
  void *pool = NULL;
  BASELINE_TRY(baseline_enter());
  int result = baseline_driver.default_pool(&pool, baseline_driver.device);
  if (!result) result = baseline_driver.pool_attribute(pool, release_threshold, &bytes);
  return baseline_leave(result);
}

static int allocations(uint64_t bytes, uint64_t times, void *stream) {
  for (uint64_t i = 0; i < times; ++i) {
    uint64_t address;
    BASELINE_TRY(baseline_driver.allocate_async(&address, bytes, stream));
    BASELINE_TRY(baseline_driver.release_async(address, stream));
  }
  return 0;
}

static int time_allocations(uint64_t bytes, uint64_t times, void *stream, double *out_seconds) {
  BASELINE_TRY(allocations(bytes, 1, stream));
  BASELINE_TRY(baseline_driver.stream_synchronize(stream));
  const double start = baseline_now();
  BASELINE_TRY(allocations(bytes, times, stream));
  *out_seconds = baseline_now() - start;
  return baseline_driver.stream_synchronize(stream);
}

/* Measures the seconds of this many pairs of cuMemAllocAsync and cuMemFreeAsync. */
BASELINE_API int baseline_time_allocations(uint64_t bytes, uint64_t times, void *stream,
                                           double *out_seconds) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(time_allocations(bytes, times, stream, out_seconds));
}
