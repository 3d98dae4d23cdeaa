// SPDX-License-Identifier: Apache-2.0
#include "object/native.hpp"

#include <exception>
#include <string>

#include "base/log.hpp"

namespace nexus::core {

void releaseNative(const Plugin &plugin, ReleaseFunction function, nxs_id id,
                   const char *what) noexcept {
  if (id == 0 || plugin.generation != processGeneration()) {
    return;
  }
  try {
    plugin.call(function, [&] { return std::string("release a ") + what; }, id);
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, plugin.name, failure.what());
  }
}

}  // namespace nexus::core
