/* SPDX-License-Identifier: Apache-2.0 */
/* Calls itself otherwise than its manifest does. */
#define NAME "alias"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
