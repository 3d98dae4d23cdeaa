/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a field more than the answer has. */
#define NAME "behind"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  *((uint64_t *)((char *)plugin + plugin->struct_size)) = 1;
  return NXS_Success;
}
