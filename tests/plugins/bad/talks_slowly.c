/* SPDX-License-Identifier: Apache-2.0 */
/* Takes its time to load, and then writes to the log. */
#define _POSIX_C_SOURCE 199309L
#define NAME "slow"
#include <time.h>

#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  const struct timespec pause = {0, 100 * 1000 * 1000};
  const nxs_string line = text("here at last");
  nanosleep(&pause, NULL);
  host->log(host->tag, NXS_LogLevel_Warning, &line);
  return NXS_Success;
}
