// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_MACHINE_HPP_
#define NEXUS_CPU_MACHINE_HPP_

#include "machine/processor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The numbers of hardware threads, ascending.
using Group = std::vector<unsigned>;

// The caches of one name. Empty or 0: not known.
struct Cache {
  std::string name;              // "L1", "L2", "L1i", "E-core L2"
  uint64_t size = 0;             // bytes of one; of the smallest if they differ
  uint64_t max_size = 0;         // bytes of the largest; 0 if all are equal
  uint64_t total_size = 0;       // bytes of all
  uint64_t line_size = 0;        // bytes
  uint64_t ways = 0;             // places that a line may go to
  uint64_t count = 0;            // how many there are
  uint64_t threads_sharing = 0;  // hardware threads that share one
  std::string shared_by = {};    // "Core", "Cluster", "CCX", "Socket" or "Device"
};

// Cores that differ from others of the same machine.
struct CoreKind {
  std::string name;          // "P-core", "E-core", or for Arm the architecture
  std::string architecture;  // as compilers call it
  Group processors;
  uint64_t cores = 0, threads = 0, threads_per_core = 0;
  uint64_t base_clock_mhz = 0, max_clock_mhz = 0;
};

// Properties of the hardware that do not change while the system runs. Empty or 0: not known.
struct Machine {
  uint64_t cores = 0, threads = 0, sockets = 0, numa_nodes = 0;
  uint64_t threads_per_core = 0;                   // 0 too where cores differ in it
  uint64_t base_clock_mhz = 0, max_clock_mhz = 0;  // of the fastest core
  uint64_t cache_line = 0;                         // bytes
  std::vector<CoreKind> kinds;  // empty if all cores are alike; the largest first
  std::vector<Cache> caches;    // L1, L2, ...: data caches that all or the largest cores have
  std::vector<Cache> others;    // for instructions, or of other kinds of cores
};

Machine read_machine(const SystemTree &tree, const Processor &processor);

// Return NP_CoreSubsystem and NP_MemorySubsystem as JSON with the keys and the order of
// schema/device_info.schema.json. memory_size: bytes of the main memory; 0 if unknown.
std::string core_json(const Processor &processor, const Machine &machine);
std::string memory_json(const Machine &machine, uint64_t memory_size);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_MACHINE_HPP_
