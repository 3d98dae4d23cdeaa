// SPDX-License-Identifier: Apache-2.0
//
// The system: which backends there are, what became of each, and which device a
// selector names.
#pragma once

#include <nexus/nexus_c.h>

#include <string_view>
#include <vector>

#include "plugin.hpp"

namespace nexus::core {

/// The plug-ins that passed, in the order of their records. Loads what was not tried yet.
std::vector<const Plugin *> loadedPlugins();

/// The plug-in of that name; loads no other one. Throws NXS_InvalidRuntime, with
/// the names that there are and why this one failed.
const Plugin &pluginOf(std::string_view name);

/// The runtime object of a plug-in, the same each time; lives as long as the
/// process, so no reference is given. Defined in runtime.cpp.
nexus_runtime *runtimeOf(const Plugin &plugin);

/// The runtime's device number index, the same each time; lives as long as the
/// process. Throws NXS_InvalidDevice. Defined in runtime.cpp.
nexus_device *deviceOf(nexus_runtime *runtime, uint64_t index);

}  // namespace nexus::core
