// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_POOL_SETTINGS_HPP_
#define NEXUS_CPU_POOL_SETTINGS_HPP_

#include <nexus-api/nxs.h>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// How many threads run kernels, and where: the settings cpu.threads (NEXUS_CPU_THREADS) and cpu.pin
// (NEXUS_CPU_PIN). The default is the number of processors that the process may use, or fewer if
// its container gets less processor time. An invalid value is logged and ignored.
struct PoolSettings {
  unsigned threads = 1;
  // The processors to which threads are bound, in turns; empty: threads are not bound.
  std::vector<unsigned> pinned;
};

PoolSettings read_pool_settings();

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_POOL_SETTINGS_HPP_
