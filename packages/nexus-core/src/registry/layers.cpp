// SPDX-License-Identifier: Apache-2.0
#include "registry/layers.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "host/host.hpp"
#include "layers/calls.hpp"
#include "layers/layer.hpp"
#include "layers/serialize.hpp"
#include "layers/sync.hpp"
#include "layers/validate/layer.hpp"
#include "layers/validate/report.hpp"
#include "trace/layer.hpp"

namespace nexus::core::layers {
namespace {

// Asks the plug-in to put its buffers between inaccessible pages, if it can. Keeps the user's
// setting.
void guardMemory(std::string_view backend) {
  if (configOf(backend, "guard").empty()) setConfig(std::string(backend) + ".guard", "1");
}

const nxs_functions *putValidate(uint32_t tag, const nxs_functions *table) {
  validation::reportAtEnd();
  guardMemory(backendOfTag(tag));
  return wrap<Validate>(tag, table);
}

struct NamedLayer {
  std::string_view name;
  const nxs_functions *(*put)(uint32_t tag, const nxs_functions *next);
};

// The names for NEXUS_LAYERS, in alphabetical order.
constexpr NamedLayer kLayers[] = {
    {"calls", wrap<Calls>},
    {"sync", wrap<Sync>},
    {"trace", wrap<Trace>},
    {"validate", putValidate},
};

const NamedLayer *findLayer(std::string_view name) {
  const auto *found = std::find_if(std::begin(kLayers), std::end(kLayers),
                                   [&](const NamedLayer &layer) { return layer.name == name; });
  return found == std::end(kLayers) ? nullptr : found;
}

std::string layerNames() {
  std::vector<std::string> names;
  for (const NamedLayer &layer : kLayers) names.push_back("'" + std::string(layer.name) + "'");
  return listWords(names, "");
}

}  // namespace

const nxs_functions *stack(uint32_t tag, nxs_thread_model thread_model,
                           const nxs_functions *table) {
  if (thread_model != NXS_ThreadModel_Free) {
    table = wrap<Serialize>(tag, table);
  }
  // The first name is the outermost layer, so it is added last. A name given twice counts once, at
  // its outermost place.
  const std::vector<std::string> names = wantedNames();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (std::find(names.begin(), name.base() - 1, *name) != name.base() - 1) continue;
    if (const NamedLayer *layer = findLayer(*name)) table = layer->put(tag, table);
  }
  return table;
}

void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table) {
  if (isWanted("validate")) validation::noteClaims(tag, capabilities, table);
}

void warnOfUnknownNames() {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  for (const std::string &name : wantedNames()) {
    if (findLayer(name) == nullptr) {
      logLine(NXS_LogLevel_Warning, {},
              join("NEXUS_LAYERS names '", name, "', which is not a layer; there are ",
                   layerNames(), "."));
    }
  }
}

}  // namespace nexus::core::layers
