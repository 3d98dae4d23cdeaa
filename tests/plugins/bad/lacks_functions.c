/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves two required functions out. */
#define NAME "lacking"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions->CreateStream = NULL;
  plugin->functions->RunSchedule = NULL;
  return NXS_Success;
}
