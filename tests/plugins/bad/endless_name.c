/* SPDX-License-Identifier: Apache-2.0 */
/* Has a name of eight exabytes. */
#define NAME "endless"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->name.size = INT64_MAX;
  return NXS_Success;
}
