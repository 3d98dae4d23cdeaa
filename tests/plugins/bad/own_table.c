/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a table of its own. */
#define NAME "owner"
#include "base.h"

static nxs_functions mine;

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  mine = *plugin->functions;
  plugin->functions = &mine;
  return NXS_Success;
}
