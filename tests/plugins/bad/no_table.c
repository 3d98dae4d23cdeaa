/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the table away. */
#define NAME "bare"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions = NULL;
  return NXS_Success;
}
