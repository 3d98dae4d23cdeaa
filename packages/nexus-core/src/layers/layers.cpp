// SPDX-License-Identifier: Apache-2.0
#include "layers.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "../log.hpp"
#include "../text.hpp"
#include "layer.hpp"
#include "serialize.hpp"
#include "trace.hpp"

namespace nexus::core::layers {
namespace {

std::vector<std::string> wantedNames() {
  const char *names = std::getenv("NEXUS_LAYERS");
  return splitWords(names == nullptr ? "" : names, ',');
}

}  // namespace

const nxs_functions *stack(uint32_t tag, nxs_thread_model thread_model,
                           const nxs_functions *table) {
  if (thread_model != NXS_ThreadModel_Free) {
    table = wrap<Serialize>(tag, table);
  }
  // One layer lies at one place only: a second mention of `trace` adds nothing.
  const std::vector<std::string> names = wantedNames();
  if (std::find(names.begin(), names.end(), "trace") != names.end()) {
    table = wrap<Trace>(tag, table);
  }
  return table;
}

void warnOfUnknownNames() {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) {
    return;
  }
  for (const std::string &name : wantedNames()) {
    if (name != "trace") {
      logLine(NXS_LogLevel_Warning, {},
              "NEXUS_LAYERS names '" + name + "', which is no layer; there is 'trace'.");
    }
  }
}

}  // namespace nexus::core::layers
