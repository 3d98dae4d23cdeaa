// SPDX-License-Identifier: Apache-2.0
//
// The size of a launch: work items, groups, and the limits of both.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>
#include <string>

#include "checks/kernel_info.hpp"

namespace nexus::core {

inline Counts countsOf(const uint64_t (&counts)[3]) {
  return {counts[0], counts[1], counts[2]};
}

/// "(256, 1, 1)".
std::string countsText(const Counts &counts);

/// What a caller gave, with zeros for what its header did not have yet.
/// Throws NXS_InvalidValue.
nexus_launch_desc readLaunch(const nexus_launch_desc *given);

/// What a plug-in launches, from what a caller asked for: counts are completed, and
/// group_count x group_size covers grid_size. Where group_size is all 0 the backend chooses it, and
/// group_count is all 0 too. Only grid_size and group_count can have a 0, and then the launch is
/// empty.
/// Throws NXS_InvalidWorkGroupSize, NXS_InvalidGlobalWorkSize and NXS_NotSupported.
nxs_launch completeLaunch(const nexus_launch_desc &desc, const KernelInfo &kernel);

/// The same of a group alone, without a grid: group_size may be all 0.
nxs_launch launchOfGroup(const nexus_launch_desc &desc, const KernelInfo &kernel);

}  // namespace nexus::core
