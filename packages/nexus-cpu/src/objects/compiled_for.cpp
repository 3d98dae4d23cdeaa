// SPDX-License-Identifier: Apache-2.0
#include "objects/compiled_for.hpp"

#include <nexus-kernel/cpu_descriptor.h>
#include <algorithm>
#include <cstddef>
#include <nexus-plugin/error.hpp>
#include <string>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;

// Returns the features that the processor certainly lacks, separated by commas. Unknown names, from
// later headers, are skipped.
std::string missing_features(std::string_view wanted, const std::vector<std::string> &present) {
  std::string missing;
  while (!wanted.empty()) {
    const std::size_t end = std::min(wanted.find(' '), wanted.size());
    const std::string_view feature = wanted.substr(0, end);
    wanted.remove_prefix(std::min(end + 1, wanted.size()));
    if (feature.empty() || !can_tell_feature(feature)) continue;
    if (std::find(present.begin(), present.end(), feature) != present.end()) continue;
    missing += join(missing.empty() ? "" : ", ", feature);
  }
  return missing;
}

}  // namespace

void check_compiled_for(const SharedObject &object, const Processor &processor,
                        std::string_view path) {
  const auto *target =
      static_cast<const nexus_cpu_target *>(object.find(std::string(kCompiledFor)));
  constexpr uint64_t kKnown = offsetof(nexus_cpu_target, features) + sizeof(target->features);
  if (target == nullptr || target->struct_size < kKnown || target->features == nullptr) return;
  const std::string missing = missing_features(target->features, processor.features);
  if (missing.empty()) return;
  const std::string what = path.empty() ? "the library in memory" : join("'", path, "'");
  throw Error(NXS_InvalidBinary, what, " is compiled for a processor with ", missing,
              ", which this one lacks; compile it for this device, or for the target ",
              processor.level);
}

}  // namespace nexus_cpu
