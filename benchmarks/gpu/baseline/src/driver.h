/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the CUDA driver that the loops call, and helpers of the loops. */
#ifndef NEXUS_CUDA_BASELINE_DRIVER_H_
#define NEXUS_CUDA_BASELINE_DRIVER_H_

#include <stddef.h>
#include <stdint.h>

#define BASELINE_API __attribute__((visibility("default")))
#define BASELINE_NOT_OPEN (-1) /* the driver's own results are 0 and above */

/* CUDA_KERNEL_NODE_PARAMS_v2 */
struct kernel_node {
  void *function;
  unsigned grid[3], block[3], shared;
  void **arguments, **extra;
  void *kernel, *context; /* NULL: the function says both */
};

/* CUgraphNodeParams of a conditional node */
struct conditional_node {
  int type, reserved0[3];
  uint64_t condition;
  int kind;
  unsigned size;
  void **bodies; /* set by the driver */
  void *context;
  uint64_t reserved1[26];
};

/* A launch, with all arguments of cuLaunchKernel. */
struct baseline_launch {
  void *function;
  void **arguments;
  uint32_t grid[3], block[3];
  uint32_t shared, unused;
};

static inline struct kernel_node kernel_of(const struct baseline_launch *launch) {
  return (struct kernel_node){
      .function = launch->function,
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .shared = launch->shared,
      .arguments = launch->arguments,
  };
}

/* X(name here, name in the library, parameters); each returns a CUresult. */
#define BASELINE_FUNCTIONS(X)                                                                   \
  X(init, "cuInit", (unsigned flags))                                                           \
  X(error_name, "cuGetErrorName", (int result, const char **out_name))                          \
  X(device_get, "cuDeviceGet", (int *out_device, int ordinal))                                  \
  X(device_attribute, "cuDeviceGetAttribute", (int *out_value, int attribute, int device))      \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (void **out_context, int device))               \
  X(push, "cuCtxPushCurrent_v2", (void *context))                                               \
  X(pop, "cuCtxPopCurrent_v2", (void **out_context))                                            \
  X(load, "cuModuleLoadData", (void **out_module, const void *image))                           \
  X(get_function, "cuModuleGetFunction", (void **out_function, void *module, const char *name)) \
  X(stream_create, "cuStreamCreate", (void **out_stream, unsigned flags))                       \
  X(stream_synchronize, "cuStreamSynchronize", (void *stream))                                  \
  X(event_create, "cuEventCreate", (void **out_event, unsigned flags))                          \
  X(event_record, "cuEventRecord", (void *event, void *stream))                                 \
  X(event_synchronize, "cuEventSynchronize", (void *event))                                     \
  X(event_elapsed, "cuEventElapsedTime", (float *out_ms, void *start, void *end))               \
  X(event_destroy, "cuEventDestroy_v2", (void *event))                                          \
  X(launch, "cuLaunchKernel",                                                                   \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
     unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,       \
     void **extra))                                                                             \
  X(graph_create, "cuGraphCreate", (void **out_graph, unsigned flags))                          \
  X(graph_add_kernel, "cuGraphAddKernelNode_v2",                                                \
    (void **out_node, void *graph, void *const *before, size_t count,                           \
     const struct kernel_node *kernel))                                                         \
  X(graph_instantiate, "cuGraphInstantiateWithFlags",                                           \
    (void **out_exec, void *graph, unsigned long long flags))                                   \
  X(graph_set_kernel, "cuGraphExecKernelNodeSetParams_v2",                                      \
    (void *exec, void *node, const struct kernel_node *kernel))                                 \
  X(graph_launch, "cuGraphLaunch", (void *exec, void *stream))                                  \
  X(allocate, "cuMemAlloc_v2", (uint64_t *out_address, size_t bytes))                           \
  X(release, "cuMemFree_v2", (uint64_t address))                                                \
  X(allocate_async, "cuMemAllocAsync", (uint64_t *out_address, size_t bytes, void *stream))     \
  X(release_async, "cuMemFreeAsync", (uint64_t address, void *stream))                          \
  X(default_pool, "cuDeviceGetDefaultMemPool", (void **out_pool, int device))                   \
  X(pool_attribute, "cuMemPoolSetAttribute", (void *pool, int attribute, void *value))          \
  X(host_allocate, "cuMemHostAlloc", (void **out_memory, size_t bytes, unsigned flags))         \
  X(host_release, "cuMemFreeHost", (void *memory))                                              \
  X(copy_in, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                  \
  X(copy_out, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                       \
  X(copy_inside, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t bytes, void *stream))

/* The same, for functions that drivers before CUDA 12.4 do not have. */
#define BASELINE_OPTIONAL(X)                                                                   \
  X(condition_create, "cuGraphConditionalHandleCreate",                                        \
    (uint64_t *out_condition, void *graph, void *context, unsigned at_launch, unsigned flags)) \
  X(graph_add_node, "cuGraphAddNode_v2",                                                       \
    (void **out_node, void *graph, void *const *before, const void *edges, size_t count,       \
     struct conditional_node *node))

#define BASELINE_POINTER(name, symbol, parameters) int(*name) parameters;
struct driver {
  BASELINE_FUNCTIONS(BASELINE_POINTER)
  BASELINE_OPTIONAL(BASELINE_POINTER)
  void *context; /* the primary context, retained until the process ends */
  int device;
};
#undef BASELINE_POINTER

extern struct driver baseline_driver;

/* Returns the seconds of a monotonic clock. */
double baseline_now(void);

/* Makes the primary context current, and the thread's own context again. */
int baseline_enter(void);
int baseline_leave(int result);

/* Returns from the function with a failing call's result. */
#define BASELINE_TRY(call)                     \
  do {                                         \
    const int baseline_tried = call;           \
    if (baseline_tried) return baseline_tried; \
  } while (0)

#endif /* NEXUS_CUDA_BASELINE_DRIVER_H_ */
