/* SPDX-License-Identifier: Apache-2.0 */
/* Hangs while the system loads it. */
#define NAME "stuck"
#include <unistd.h>

#include "base.h"

__attribute__((constructor)) static void wait_forever(void) {
  while (1) {
    pause();
  }
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
