/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing wrong: one device, required functions only. NAME comes from the compiler's options. */
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  return NXS_Success;
}
