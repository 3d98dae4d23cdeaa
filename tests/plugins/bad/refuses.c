/* SPDX-License-Identifier: Apache-2.0 */
/* Has no driver to work with, and says so. */
#define NAME "refusing"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return fail(NXS_DeviceNotAvailable, "the driver libacme.so.1 is not installed");
}
