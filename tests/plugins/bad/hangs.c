/* SPDX-License-Identifier: Apache-2.0 */
/* Never answers. */
#define NAME "hanging"
#include <unistd.h>

#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  while (host != NULL) {
    pause();
  }
  return NXS_Success;
}
