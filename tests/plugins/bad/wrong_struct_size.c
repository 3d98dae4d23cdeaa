/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the struct_size that is the host's. */
#define NAME "resized"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->struct_size = 8;
  return NXS_Success;
}
