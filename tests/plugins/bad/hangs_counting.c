/* SPDX-License-Identifier: Apache-2.0 */
/* Never ends to count its devices. */
#define NAME "counting"
#include <unistd.h>

#include "base.h"

static nxs_status count(nxs_id runtime, nxs_property key, nxs_value *out_value) {
  while (key == NP_Size) {
    pause();
  }
  return property(key, out_value);
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions->GetRuntimeProperty = count;
  return NXS_Success;
}
