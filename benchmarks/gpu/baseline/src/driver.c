/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the driver and the primary context, and loads kernels. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct driver baseline_driver;

double baseline_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int baseline_enter(void) {
  return baseline_driver.context ? baseline_driver.push(baseline_driver.context)
                                 : BASELINE_NOT_OPEN;
}

int baseline_leave(int result) {
  void *context;
  const int popped = baseline_driver.pop(&context);
  return result ? result : popped;
}

static int find_functions(void *library, const char **out_missing) {
#define BASELINE_FIND(name, symbol, parameters)              \
  {                                                          \
    void *const address = dlsym(library, symbol);            \
    if (!address) {                                          \
      *out_missing = symbol;                                 \
      return BASELINE_NOT_OPEN;                              \
    }                                                        \
    memcpy(&baseline_driver.name, &address, sizeof address); \
  }
  BASELINE_FUNCTIONS(BASELINE_FIND)
#undef BASELINE_FIND
#define BASELINE_FIND(name, symbol, parameters)              \
  {                                                          \
    void *const address = dlsym(library, symbol);            \
    memcpy(&baseline_driver.name, &address, sizeof address); \
  }
  BASELINE_OPTIONAL(BASELINE_FIND)
#undef BASELINE_FIND
  return 0;
}

/* Opens the driver once, and the primary context of a device: the one that CUDA's runtime, and
 * so every peer, uses. out_missing: what is missing for BASELINE_NOT_OPEN. */
BASELINE_API int baseline_open(int ordinal, const char **out_missing) {
  *out_missing = "";
  if (baseline_driver.context) return 0;
  const char *const named = getenv("NEXUS_CUDA_DRIVER");
  const char *const name = named && *named ? named : "libcuda.so.1";
  void *const library = dlopen(name, RTLD_NOW);
  if (!library) {
    *out_missing = dlerror();
    return BASELINE_NOT_OPEN;
  }
  BASELINE_TRY(find_functions(library, out_missing));
  BASELINE_TRY(baseline_driver.init(0));
  BASELINE_TRY(baseline_driver.device_get(&baseline_driver.device, ordinal));
  return baseline_driver.primary_retain(&baseline_driver.context, baseline_driver.device);
}

BASELINE_API const char *baseline_error(int result) {
  const char *name = NULL;
  if (result == BASELINE_NOT_OPEN) return "the driver is not open";
  baseline_driver.error_name(result, &name);
  return name ? name : "an unknown error";
}

BASELINE_API int baseline_attribute(int attribute, int *out_value) {
  if (!baseline_driver.context) return BASELINE_NOT_OPEN;
  return baseline_driver.device_attribute(out_value, attribute, baseline_driver.device);
}

BASELINE_API int baseline_module(const void *image, void **out_module) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.load(out_module, image));
}

BASELINE_API int baseline_function(void *module, const char *name, void **out_function) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.get_function(out_function, module, name));
}

BASELINE_API int baseline_stream(void **out_stream) {
  const unsigned does_not_block = 1;
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.stream_create(out_stream, does_not_block));
}

BASELINE_API int baseline_synchronize(void *stream) {
  BASELINE_TRY(baseline_enter());
  return baseline_leave(baseline_driver.stream_synchronize(stream));
}
