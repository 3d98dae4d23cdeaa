/* SPDX-License-Identifier: Apache-2.0 */
/* Has two billion devices. */
#define NAME "many"
#define DEVICES 2000000000
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
