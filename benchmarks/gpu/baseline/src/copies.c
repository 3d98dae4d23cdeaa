/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's own copies. */
#include "driver.h"

static int copy_in(uint64_t device, const void *host, uint64_t bytes, double *out_seconds) {
  const double start = baseline_now();
  BASELINE_TRY(baseline_driver.copy_in(device, host, bytes));
  BASELINE_TRY(baseline_driver.stream_synchronize(NULL));
  *out_seconds = baseline_now() - start;
  return 0;
}

/* Copies pinned or pageable memory to the device and waits. A copy of pageable memory may return
 * before its last bytes have arrived. */
BASELINE_API int baseline_copy_in(uint64_t device, const void *host, uint64_t bytes,
                                  double *out_seconds) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(copy_in(device, host, bytes, out_seconds));
}

BASELINE_API int baseline_copy_out(void *host, uint64_t device, uint64_t bytes,
                                   double *out_seconds) {
  BASELINE_TRY(baseline_enter());
  const double start = baseline_now();
  const int result = baseline_driver.copy_out(host, device, bytes);
  *out_seconds = baseline_now() - start;
  return baseline_leave(result);
}

static int copy_inside(uint64_t to, uint64_t from, uint64_t bytes, uint64_t times, void *stream,
                       void *start, void *end, float *out_ms) {
  BASELINE_TRY(baseline_driver.copy_inside(to, from, bytes, stream));
  BASELINE_TRY(baseline_driver.event_record(start, stream));
  for (uint64_t i = 0; i < times; ++i)
    BASELINE_TRY(baseline_driver.copy_inside(to, from, bytes, stream));
  BASELINE_TRY(baseline_driver.event_record(end, stream));
  BASELINE_TRY(baseline_driver.event_synchronize(end));
  return baseline_driver.event_elapsed(out_ms, start, end);
}

/* Measures the milliseconds of this many copies within the device, by events. */
BASELINE_API int baseline_copy_inside(uint64_t to, uint64_t from, uint64_t bytes, uint64_t times,
                                      void *stream, float *out_ms) {
  void *start = NULL, *end = NULL;
  BASELINE_TRY(baseline_enter());
  int result = baseline_driver.event_create(&start, 0);
  if (!result) result = baseline_driver.event_create(&end, 0);
  if (!result) result = copy_inside(to, from, bytes, times, stream, start, end, out_ms);
  if (start) baseline_driver.event_destroy(start);
  if (end) baseline_driver.event_destroy(end);
  return baseline_leave(result);
}
