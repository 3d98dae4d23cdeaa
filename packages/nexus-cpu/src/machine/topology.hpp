// SPDX-License-Identifier: Apache-2.0
// How Linux groups the processors that are in use.
#ifndef NEXUS_CPU_TOPOLOGY_HPP_
#define NEXUS_CPU_TOPOLOGY_HPP_

#include "system/system_tree.hpp"

#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The numbers of hardware threads, ascending.
using Group = std::vector<unsigned>;

struct Topology {
  Group online;
  std::vector<Group> cores;    // those that share a core; empty where that is not known
  std::vector<Group> sockets;  // likewise of a package
};

Topology read_topology(const SystemTree &tree);

// How many NUMA nodes have memory; 0 where that is not known.
uint64_t count_numa_nodes(const SystemTree &tree);

// Returns whether all of the part are in the whole.
bool contains_all(const Group &whole, const Group &part);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_TOPOLOGY_HPP_
