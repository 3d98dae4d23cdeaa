/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses a host that is too old for it, in words. */
#define NAME "newer"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return fail(NXS_IncompatibleVersion, "it needs the plug-in interface 1.7; update nexus-core");
}
