// SPDX-License-Identifier: Apache-2.0
//
// Checks the size of a launch: work items, groups, and their limits.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>
#include <string>

#include "checks/kernel_info.hpp"

namespace nexus::core {

inline Counts countsOf(const uint64_t (&counts)[3]) {
  return {counts[0], counts[1], counts[2]};
}

/// Returns "(256, 1, 1)".
std::string countsText(const Counts &counts);

/// Copies the caller's description, with zeros for members that its struct does not have. Throws
/// NXS_InvalidValue.
nexus_launch_desc readLaunch(const nexus_launch_desc *given);

/// Returns the launch for the plug-in: completes the counts so that group_count x group_size covers
/// grid_size. If group_size is all 0, the backend chooses it, and group_count is all 0 too.
/// Otherwise a 0 in grid_size or group_count makes the launch empty. Throws
/// NXS_InvalidWorkGroupSize, NXS_InvalidGlobalWorkSize and NXS_NotSupported.
nxs_launch completeLaunch(const nexus_launch_desc &desc, const KernelInfo &kernel);

/// Returns the launch of one group, without a grid. group_size may be all 0.
nxs_launch launchOfGroup(const nexus_launch_desc &desc, const KernelInfo &kernel);

}  // namespace nexus::core
