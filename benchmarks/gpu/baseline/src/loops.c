/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on the device: a conditional node of a graph. */
#include "driver.h"

enum { CONDITIONAL_NODE = 13, LOOP = 1, NOT_SUPPORTED = 801 };

static int add_kernel(void **node, void *graph, const struct baseline_launch *launch,
                      void **arguments) {
  void *before = *node;
  struct kernel_node kernel = kernel_of(launch);
  kernel.arguments = arguments;
  return baseline_driver.graph_add_kernel(node, graph, &before, before ? 1 : 0, &kernel);
}

static int add_loop(void *graph, const struct baseline_launch *first,
                    const struct baseline_launch *decide, const struct baseline_launch *turn) {
  uint64_t condition = 0;
  void *node = NULL, *body_node = NULL;
  BASELINE_TRY(baseline_driver.condition_create(&condition, graph, baseline_driver.context, 0, 0));
  void *arguments[] = {decide->arguments[0], &condition};
  BASELINE_TRY(add_kernel(&node, graph, first, first->arguments));
  BASELINE_TRY(add_kernel(&node, graph, decide, arguments));
  struct conditional_node loop = {
      .type = CONDITIONAL_NODE,
      .condition = condition,
      .kind = LOOP,
      .size = 1,
      .context = baseline_driver.context,
  };
  void *const before = node;
  BASELINE_TRY(baseline_driver.graph_add_node(&node, graph, &before, NULL, 1, &loop));
  BASELINE_TRY(add_kernel(&body_node, loop.bodies[0], turn, turn->arguments));
  return add_kernel(&body_node, loop.bodies[0], decide, arguments);
}

/* Makes an executable graph, which lives as long as the process. It launches first, and then turn
 * again and again; before each turn decide, with its own argument and the loop's condition, which
 * it sets. */
BASELINE_API int baseline_loop(const struct baseline_launch *first,
                               const struct baseline_launch *decide,
                               const struct baseline_launch *turn, void **out_exec) {
  void *graph = NULL;
  if (!baseline_driver.condition_create || !baseline_driver.graph_add_node) return NOT_SUPPORTED;
  BASELINE_TRY(baseline_enter());
  int result = baseline_driver.graph_create(&graph, 0);
  if (!result) result = add_loop(graph, first, decide, turn);
  if (!result) result = baseline_driver.graph_instantiate(out_exec, graph, 0);
  return baseline_leave(result);
}
