// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_RANGE_BARRIER_HPP_
#define NEXUS_CPU_RANGE_BARRIER_HPP_

#include <nexus-api/nxs.h>
#include <nexus-kernel/cpu_descriptor.h>

namespace nexus_cpu NXS_HIDDEN {

// The function that kernels with descriptors call at a barrier, as nexus_cpu_range's barrier. The
// range's context is a FiberGroup.
void reach_range_barrier(nexus_cpu_group *group, const nexus_int32 *item, nexus_int32 site);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_RANGE_BARRIER_HPP_
