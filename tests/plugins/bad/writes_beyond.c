/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an entry more than the table that it was given has. */
#define NAME "beyond"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  void **behind = (void **)((char *)plugin->functions + plugin->functions->struct_size);
  *behind = (void *)plugin;
  return NXS_Success;
}
