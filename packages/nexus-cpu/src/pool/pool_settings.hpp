// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_POOL_SETTINGS_HPP_
#define NEXUS_CPU_POOL_SETTINGS_HPP_

#include <nexus-api/nxs.h>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// How many threads kernels run on, and where: the settings cpu.threads (NEXUS_CPU_THREADS) and
// cpu.pin (NEXUS_CPU_PIN). Without the first it is as many as the processors that the process may
// use, or fewer where its container gets less time than they have. A value that is none is told
// in the log and ignored.
struct PoolSettings {
  unsigned threads = 1;
  // The processor of each thread, in turns; empty: wherever the system likes.
  std::vector<unsigned> pinned;
};

PoolSettings read_pool_settings();

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_POOL_SETTINGS_HPP_
