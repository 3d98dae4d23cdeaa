/* SPDX-License-Identifier: Apache-2.0 */
/* Claims a version above the host's, which a plug-in must not. */
#define NAME "ahead"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->api_minor = host->api_minor + 1;
  return NXS_Success;
}
