/* SPDX-License-Identifier: Apache-2.0 */
/* Speaks what came before 1.0, whatever the host says. */
#define NAME "behind"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->api_major = 0;
  plugin->api_minor = 1;
  return NXS_Success;
}
