/* SPDX-License-Identifier: Apache-2.0 */
/* Has fewer devices than none. */
#define NAME "debt"
#define DEVICES (-3)
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
