/* SPDX-License-Identifier: Apache-2.0 */
/* Its vendor is not UTF-8. */
#define NAME "latin"
#include "base.h"

static nxs_status odd(nxs_id device, nxs_property key, nxs_value *out_value) {
  if (key == NP_Vendor) {
    return give(out_value, NXS_ValueType_Str, "Soci\xe9t\xe9", 7);
  }
  if (key == NP_Keys) {
    const int64_t keys[] = {NP_Name, NP_Type, NP_Vendor, NP_Keys};
    return give(out_value, NXS_ValueType_IntVec, keys, sizeof(keys));
  }
  return property(key, out_value);
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  plugin->functions->GetDeviceProperty = odd;
  return NXS_Success;
}
