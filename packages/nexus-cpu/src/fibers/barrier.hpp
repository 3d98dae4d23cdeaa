// SPDX-License-Identifier: Apache-2.0
// Barriers of kernels with the plain C convention.
#ifndef NEXUS_CPU_BARRIER_HPP_
#define NEXUS_CPU_BARRIER_HPP_

#include <nexus-api/nxs.h>

namespace nexus_cpu NXS_HIDDEN {

// The object that a kernel's last argument points to. _cpu_barrier, which kernel libraries
// find in the helper library, calls reached; the layout is known to both.
struct Barrier {
  void (*reached)(void *barrier);  // returns when all items of the group are there
};

// Makes _cpu_barrier resolvable for libraries loaded from now on. Where the helper
// library is missing it says so in the log, and those that need it do not load.
void offer_barrier();

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BARRIER_HPP_
