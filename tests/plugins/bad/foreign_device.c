/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a stream where a device belongs. */
#define NAME "streamy"
#include "base.h"

static nxs_status give_stream(nxs_id runtime, uint32_t index, nxs_id *out_device) {
  *out_device = id_of(NXS_ObjectType_Stream, index);
  return NXS_Success;
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions->GetDevice = give_stream;
  return NXS_Success;
}
