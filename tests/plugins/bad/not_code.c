/* SPDX-License-Identifier: Apache-2.0 */
/* Has data where a function belongs. */
#define NAME "data"
#include "base.h"

static int64_t numbers[4];

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  void *address = numbers;
  memcpy(&plugin->functions->CreateStream, &address, sizeof(address));
  return NXS_Success;
}
