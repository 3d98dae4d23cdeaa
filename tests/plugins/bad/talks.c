/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the host's services while it is being loaded. */
#define NAME "talking"
#include "base.h"

static nxs_property number_of(const char *words) {
  const nxs_string name = text(words);
  return the_host->intern_property(the_host->tag, &name);
}

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_string key = text("tool");
  nxs_string tool;
  host->get_config(host->tag, &key, &tool);
  host->log(host->tag, NXS_LogLevel_Warning, &tool);
  if (number_of("AcmeTiles") != NXS_PROPERTY_VENDOR_FIRST ||
      number_of("AcmeLanes") != NXS_PROPERTY_VENDOR_FIRST + 1 ||
      number_of("AcmeTiles") != NXS_PROPERTY_VENDOR_FIRST || number_of("Name") != NP_Name ||
      number_of("") != NXS_PROPERTY_INVALID || number_of("\xff") != NXS_PROPERTY_INVALID) {
    return fail(NXS_InternalError, "the host numbers properties wrongly");
  }
  /* A string that is not there is an empty one. */
  host->get_config(host->tag, NULL, &tool);
  if (tool.size != 0 || host->intern_property(host->tag, NULL) != NXS_PROPERTY_INVALID ||
      host->make_error(host->tag, 0, NULL) == 0) {
    return fail(NXS_InternalError, "the host takes no string for another than an empty one");
  }
  return NXS_Success;
}
