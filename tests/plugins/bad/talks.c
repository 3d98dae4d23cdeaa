/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the host's services while it is being loaded. */
#define NAME "talking"
#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_string tool = host->get_config(host->tag, text("tool"));
  host->log(host->tag, NXS_LogLevel_Warning, tool);
  if (host->intern_property(host->tag, text("AcmeTiles")) != NXS_PROPERTY_VENDOR_FIRST ||
      host->intern_property(host->tag, text("AcmeLanes")) != NXS_PROPERTY_VENDOR_FIRST + 1 ||
      host->intern_property(host->tag, text("AcmeTiles")) != NXS_PROPERTY_VENDOR_FIRST ||
      host->intern_property(host->tag, text("Name")) != NP_Name ||
      host->intern_property(host->tag, text("")) != NXS_PROPERTY_INVALID ||
      host->intern_property(host->tag, text("\xff")) != NXS_PROPERTY_INVALID) {
    return fail(NXS_InternalError, "the host numbers properties wrongly");
  }
  return NXS_Success;
}
