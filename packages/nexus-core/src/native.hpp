// SPDX-License-Identifier: Apache-2.0
//
// The end of a plug-in's object.
#pragma once

#include "plugin.hpp"

namespace nexus::core {

/// A release function of a plug-in's table.
using ReleaseFunction = nxs_status (*nxs_functions::*)(nxs_id);

/// Releases a plug-in's object; id 0 does nothing. For destructors: calls nothing in the
/// child of a fork(), and logs a failure as a warning. what completes "release a ...".
void releaseNative(const Plugin &plugin, ReleaseFunction function, nxs_id id,
                   const char *what) noexcept;

}  // namespace nexus::core
