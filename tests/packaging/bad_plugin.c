/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that goes wrong when it is asked what it is. BEHAVIOUR chooses how. */
#include <nexus-api/nxs_functions.h>
#include <string.h>

#define REFUSES 1
#define LACKS_FUNCTIONS 2
#define WANTS_NEWER 3

static nxs_string text(const char *words) {
  nxs_string string;
  string.data = words;
  string.size = strlen(words);
  return string;
}

static inline void say(const nxs_host *host, const char *words) {
  const nxs_string sentence = text(words);
  host->make_error(host->tag, 0, &sentence);
}

NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
#if BEHAVIOUR == REFUSES
  (void)plugin;
  say(host, "The driver of this machine is too old; update it.");
  return NXS_DeviceNotAvailable;
#elif BEHAVIOUR == WANTS_NEWER
  (void)plugin;
  say(host, "This backend needs nexus-core 9.0 or later; update it.");
  return NXS_IncompatibleVersion;
#elif BEHAVIOUR == LACKS_FUNCTIONS
  plugin->api_major = NXS_API_VERSION_MAJOR;
  plugin->api_minor = NXS_API_VERSION_MINOR;
  plugin->name = text("lacking");
  plugin->version = text("1.0");
  plugin->runtime = NXS_ID_MAKE(NXS_ObjectType_Runtime, host->tag, 1, 0);
  return NXS_Success;
#else
#error "BEHAVIOUR is not set."
#endif
}
