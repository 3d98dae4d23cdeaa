/* SPDX-License-Identifier: Apache-2.0 */
/* Takes one call at a time, and fails where two come at once. */
#define _POSIX_C_SOURCE 199309L
#define NAME "serial"
#include <stdatomic.h>
#include <time.h>

#include "base.h"

static atomic_int calls_inside;

static nxs_status create_stream(nxs_id device, int32_t priority, nxs_id *out_stream) {
  const struct timespec pause = {0, 1000 * 1000};
  const int others = atomic_fetch_add(&calls_inside, 1);
  nanosleep(&pause, NULL);
  atomic_fetch_sub(&calls_inside, 1);
  if (others != 0) {
    return fail(NXS_InternalError, "two calls came at once");
  }
  return base_create_stream(device, priority, out_stream);
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions->CreateStream = create_stream;
  plugin->thread_model = NXS_ThreadModel_Serialized;
  return NXS_Success;
}
