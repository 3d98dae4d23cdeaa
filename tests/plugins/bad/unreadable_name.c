/* SPDX-License-Identifier: Apache-2.0 */
/* Has its name where no memory is. */
#define NAME "nameless"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->name.data = (const char *)8;
  return NXS_Success;
}
