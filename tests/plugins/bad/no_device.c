/* SPDX-License-Identifier: Apache-2.0 */
/* Starts, and finds no device. */
#define NAME "empty"
#define DEVICES 0
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
