// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_CACHES_HPP_
#define NEXUS_CPU_CACHES_HPP_

#include "machine/machine.hpp"
#include "machine/topology.hpp"

namespace nexus_cpu NXS_HIDDEN {

// Fills caches, others and cache_line of the machine, of which kinds is read. vendor: some have a
// word of their own for the cores that share a cache.
void read_caches(const SystemTree &tree, const Topology &topology, const std::string &vendor,
                 Machine &machine);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_CACHES_HPP_
