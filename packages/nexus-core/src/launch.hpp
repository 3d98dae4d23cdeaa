// SPDX-License-Identifier: Apache-2.0
//
// The size of a launch: work items, groups, and the limits of both.
#pragma once

#include <nexus/nexus_c.h>

#include <array>
#include <cstdint>
#include <string>

namespace nexus::core {

class Kernel;

/// Counts in x, y and z.
using Counts = std::array<uint64_t, 3>;

inline Counts countsOf(const uint64_t (&counts)[3]) {
  return {counts[0], counts[1], counts[2]};
}

/// "(256, 1, 1)".
std::string countsText(const Counts &counts);

/// What a plug-in launches, from what a caller asked for: counts are completed, each at
/// least 1, and group_count x group_size covers grid_size. Where group_size is all 0 the
/// backend chooses it, and group_count is all 0 too.
/// Throws NXS_InvalidWorkGroupSize and NXS_InvalidGlobalWorkSize.
nxs_launch completeLaunch(const nexus_launch_desc &desc, const Kernel &kernel);

}  // namespace nexus::core
