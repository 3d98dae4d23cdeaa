// SPDX-License-Identifier: Apache-2.0
// Barriers of kernels with the plain C convention.
#ifndef NEXUS_CPU_BARRIER_HPP_
#define NEXUS_CPU_BARRIER_HPP_

#include <nexus-api/nxs.h>

namespace nexus_cpu NXS_HIDDEN {

// The object that a kernel's last argument points to. Kernel libraries call _cpu_barrier in the
// helper library, which calls reached. The helper library has the same layout.
struct Barrier {
  void (*reached)(void *barrier);  // returns when all items of the group have reached it
};

// Makes _cpu_barrier available to libraries loaded from now on. A missing helper library is logged,
// and libraries that need it fail to load.
void offer_barrier();

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BARRIER_HPP_
