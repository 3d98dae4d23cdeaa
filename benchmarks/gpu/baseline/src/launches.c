/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of launches: the host's time of a submission, and the device's time of the work. */
#include "driver.h"

static int submit(const struct baseline_launch *launches, uint64_t count, void *stream) {
  for (const struct baseline_launch *each = launches; each < launches + count; ++each)
    BASELINE_TRY(baseline_driver.launch(each->function, each->grid[0], each->grid[1], each->grid[2],
                                        each->block[0], each->block[1], each->block[2],
                                        each->shared, stream, each->arguments, NULL));
  return 0;
}

static int run_once(const struct baseline_launch *launches, uint64_t count, void *stream) {
  BASELINE_TRY(submit(launches, count, stream));
  return baseline_driver.stream_synchronize(stream);
}

/* Submits all launches once and waits. */
BASELINE_API int baseline_run_once(const struct baseline_launch *launches, uint64_t count,
                                   void *stream) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(run_once(launches, count, stream));
}

static int submit_often(const struct baseline_launch *launches, uint64_t count, uint64_t times,
                        void *stream) {
  for (uint64_t i = 0; i < times; ++i) BASELINE_TRY(submit(launches, count, stream));
  return 0;
}

static int time_launches(const struct baseline_launch *launches, uint64_t count, uint64_t times,
                         void *stream, double *out_submitted, double *out_done) {
  BASELINE_TRY(run_once(launches, count, stream));
  const double start = baseline_now();
  BASELINE_TRY(submit_often(launches, count, times, stream));
  *out_submitted = baseline_now() - start;
  BASELINE_TRY(baseline_driver.stream_synchronize(stream));
  *out_done = baseline_now() - start;
  return 0;
}

/* Submits all launches this many times, after a warm-up round. Measures the seconds until all
 * are submitted, and until all are done. */
BASELINE_API int baseline_time_launches(const struct baseline_launch *launches, uint64_t count,
                                        uint64_t times, void *stream, double *out_submitted,
                                        double *out_done) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(time_launches(launches, count, times, stream, out_submitted, out_done));
}

static int time_on_device(const struct baseline_launch *launches, uint64_t count, uint64_t times,
                          void *stream, void *start, void *end, float *out_ms) {
  BASELINE_TRY(run_once(launches, count, stream));
  /* Earlier work, so that the device does not wait for the host between the events. */
  BASELINE_TRY(submit_often(launches, count, times, stream));
  BASELINE_TRY(baseline_driver.event_record(start, stream));
  BASELINE_TRY(submit_often(launches, count, times, stream));
  BASELINE_TRY(baseline_driver.event_record(end, stream));
  BASELINE_TRY(baseline_driver.event_synchronize(end));
  return baseline_driver.event_elapsed(out_ms, start, end);
}

/* Measures the milliseconds of this many rounds of all launches, by events. */
BASELINE_API int baseline_time_on_device(const struct baseline_launch *launches, uint64_t count,
                                         uint64_t times, void *stream, float *out_ms) {
  void *start = NULL, *end = NULL;
  BASELINE_TRY(baseline_enter());
  int result = baseline_driver.event_create(&start, 0);
  if (!result) result = baseline_driver.event_create(&end, 0);
  if (!result) result = time_on_device(launches, count, times, stream, start, end, out_ms);
  if (start) baseline_driver.event_destroy(start);
  if (end) baseline_driver.event_destroy(end);
  return baseline_leave(result);
}

/* Adds the launches to a graph, each behind the one that comes `branches` before it. */
static int add_nodes(void *graph, const struct baseline_launch *launches, uint64_t count,
                     uint64_t branches, void **out_nodes) {
  for (uint64_t i = 0; i < count; ++i) {
    const struct kernel_node kernel = kernel_of(launches + i);
    void *const *const before = i < branches ? NULL : out_nodes + i - branches;
    BASELINE_TRY(
        baseline_driver.graph_add_kernel(out_nodes + i, graph, before, before ? 1 : 0, &kernel));
  }
  return 0;
}

/* Makes a graph of the launches, and an executable one, which live as long as the process: each
 * launch follows the one that comes `branches` before it. out_nodes: one for each launch. */
BASELINE_API int baseline_graph(const struct baseline_launch *launches, uint64_t count,
                                uint64_t branches, void **out_exec, void **out_nodes) {
  void *graph = NULL;
  BASELINE_TRY(baseline_enter());
  int result = baseline_driver.graph_create(&graph, 0);
  if (!result) result = add_nodes(graph, launches, count, branches, out_nodes);
  if (!result) result = baseline_driver.graph_instantiate(out_exec, graph, 0);
  return baseline_leave(result);
}

static int time_graph(void *exec, uint64_t times, void *stream, double *out_submitted,
                      double *out_done) {
  BASELINE_TRY(baseline_driver.graph_launch(exec, stream));
  BASELINE_TRY(baseline_driver.stream_synchronize(stream));
  const double start = baseline_now();
  for (uint64_t i = 0; i < times; ++i) BASELINE_TRY(baseline_driver.graph_launch(exec, stream));
  *out_submitted = baseline_now() - start;
  BASELINE_TRY(baseline_driver.stream_synchronize(stream));
  *out_done = baseline_now() - start;
  return 0;
}

/* As baseline_time_launches, for launches of a graph. */
BASELINE_API int baseline_time_graph(void *exec, uint64_t times, void *stream,
                                     double *out_submitted, double *out_done) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(time_graph(exec, times, stream, out_submitted, out_done));
}

static int rebind(void *exec, void *node, const struct baseline_launch *pair, uint64_t times,
                  void *stream) {
  for (uint64_t i = 0; i < times; ++i) {
    const struct kernel_node kernel = kernel_of(pair + i % 2);
    BASELINE_TRY(baseline_driver.graph_set_kernel(exec, node, &kernel));
    BASELINE_TRY(baseline_driver.graph_launch(exec, stream));
  }
  return 0;
}

/* Makes a node launch the one and the other of a pair in turns, and launches the graph after each
 * change. Measures the seconds until all is submitted, and waits. */
BASELINE_API int baseline_time_rebinding(void *exec, void *node, const struct baseline_launch *pair,
                                         uint64_t times, void *stream, double *out_submitted) {
  BASELINE_TRY(baseline_enter());
  const double start = baseline_now();
  const int result = rebind(exec, node, pair, times, stream);
  *out_submitted = baseline_now() - start;
  const int waited = baseline_driver.stream_synchronize(stream);
  return baseline_leave(result ? result : waited);
}
