/* SPDX-License-Identifier: Apache-2.0 */
/* Returns an error and no record. */
#define NAME "silent"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_OutOfResources;
}
