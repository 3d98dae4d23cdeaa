/* SPDX-License-Identifier: Apache-2.0 */
/* Declares a thread model that there is not. */
#define NAME "odd"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->thread_model = 42;
  return NXS_Success;
}
