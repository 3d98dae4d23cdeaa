/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a runtime id with somebody else's tag. */
#define NAME "foreign"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->runtime = NXS_ID_MAKE(NXS_ObjectType_Runtime, host->tag + 1, 1, 0);
  return NXS_Success;
}
