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
#include "sync.hpp"
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
  // The first one named is put on last. One layer lies at one place only, the outermost that is
  // named.
  const std::vector<std::string> names = wantedNames();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (std::find(names.begin(), name.base() - 1, *name) != name.base() - 1) {
      continue;
    }
    if (*name == "trace") table = wrap<Trace>(tag, table);
    if (*name == "sync") table = wrap<Sync>(tag, table);
  }
  return table;
}

bool oneCommandAtATime() {
  const std::vector<std::string> names = wantedNames();
  return std::find(names.begin(), names.end(), "sync") != names.end();
}

void warnOfUnknownNames() {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) {
    return;
  }
  for (const std::string &name : wantedNames()) {
    if (name != "trace" && name != "sync") {
      logLine(
          NXS_LogLevel_Warning, {},
          "NEXUS_LAYERS names '" + name + "', which is no layer; there are 'sync' and 'trace'.");
    }
  }
}

}  // namespace nexus::core::layers
