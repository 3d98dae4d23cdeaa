// SPDX-License-Identifier: Apache-2.0
#if !defined(__APPLE__)

#include "machine/arm_processors.hpp"
#include "machine/caches.hpp"
#include "machine/machine.hpp"
#include "machine/topology.hpp"
#include "machine/x86_models.hpp"

#include <algorithm>
#include <iterator>
#include <nexus-plugin/text.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// The kernel has a device for each kind of core of an Intel client processor.
std::vector<CoreKind> intel_kinds(const SystemTree &tree, const Processor &processor) {
  CoreKind large, small;
  large.name = "P-core";
  large.processors = tree.list("/sys/devices/cpu_core/cpus");
  small.name = "E-core";
  small.processors = tree.list("/sys/devices/cpu_atom/cpus");
  if (large.processors.empty() || small.processors.empty()) return {};
  small.architecture = x86_efficient_cores(processor.architecture);
  return {std::move(large), std::move(small)};
}

std::vector<CoreKind> arm_kinds(const SystemTree &tree, const Processor &processor) {
  std::map<unsigned, CoreKind> by_number;
  for (const auto &[number, signature] : read_arm_signatures(tree)) {
    CoreKind &kind = by_number[signature.kind()];
    kind.architecture = arm_architecture(signature);
    kind.name = kind.architecture;
    if (kind.name.empty()) {
      kind.name =
          nexus_plugin::join("part ", signature.part, " of ", arm_vendor(signature.implementer));
    }
    kind.processors.push_back(number);
  }
  std::vector<CoreKind> kinds;
  std::map<std::string, unsigned> alike;  // several parts may have one architecture
  for (const auto &[number, kind] : by_number) ++alike[kind.name];
  for (auto &[number, kind] : by_number) {
    const unsigned part = number & 0xfff;
    if (alike[kind.name] > 1) kind.name = nexus_plugin::join(kind.name, " part ", part);
    kinds.insert(processor.model == part ? kinds.begin() : kinds.end(), std::move(kind));
  }
  return kinds;
}

// MHz of the fastest of the cores, of files that tell it in kHz; 0 where none does.
uint64_t fastest(const SystemTree &tree, const Group &processors, std::string_view file) {
  constexpr uint64_t kKilohertz = 1000;
  uint64_t highest = 0;
  for (const unsigned processor : processors) {
    highest = std::max(highest, tree.number(processor_file(processor, file)).value_or(0));
  }
  return highest / kKilohertz;
}

struct Clocks {
  uint64_t base_mhz, max_mhz;
};

// Only some drivers tell the base clock; of the others firmware may, in MHz.
Clocks read_clocks(const SystemTree &tree, const Group &processors) {
  Clocks out{fastest(tree, processors, "/cpufreq/base_frequency"),
             fastest(tree, processors, "/cpufreq/cpuinfo_max_freq")};
  if (out.base_mhz == 0 && !processors.empty()) {
    const std::string file = processor_file(processors.front(), "/acpi_cppc/nominal_freq");
    out.base_mhz = tree.number(file).value_or(0);
  }
  return out;
}

// One thread of each core: the others have the same clock.
Group first_threads(const Topology &topology) {
  if (topology.cores.empty()) return topology.online;
  Group firsts;
  for (const Group &core : topology.cores) firsts.push_back(core.front());
  std::sort(firsts.begin(), firsts.end());
  return firsts;
}

Group common(const Group &a, const Group &b) {
  Group both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Of the cores that consist of the processors; 0 where they differ.
uint64_t threads_per_core(const Topology &topology, const Group &processors) {
  uint64_t threads = 0;
  for (const Group &core : topology.cores) {
    if (!contains_all(processors, core)) continue;
    if (threads != 0 && threads != core.size()) return 0;
    threads = core.size();
  }
  return threads;
}

std::vector<CoreKind> read_kinds(const SystemTree &tree, const Topology &topology,
                                 const Processor &processor) {
  std::vector<CoreKind> kinds = intel_kinds(tree, processor);
  if (kinds.empty()) kinds = arm_kinds(tree, processor);
  for (CoreKind &kind : kinds) {
    kind.processors = common(kind.processors, topology.online);
    const Group firsts = common(kind.processors, first_threads(topology));
    const Clocks clocks = read_clocks(tree, firsts);
    kind.threads = kind.processors.size();
    kind.cores = topology.cores.empty() ? 0 : firsts.size();
    kind.threads_per_core = threads_per_core(topology, kind.processors);
    kind.base_clock_mhz = clocks.base_mhz;
    kind.max_clock_mhz = clocks.max_mhz;
  }
  std::erase_if(kinds, [](const CoreKind &kind) { return kind.threads == 0; });
  if (kinds.size() < 2) kinds.clear();
  return kinds;
}

}  // namespace

Machine read_machine(const SystemTree &tree, const Processor &processor) {
  Machine out;
  const Topology topology = read_topology(tree);
  out.threads = topology.online.size();
  out.cores = topology.cores.size();
  out.sockets = topology.sockets.size();
  out.threads_per_core = threads_per_core(topology, topology.online);
  out.numa_nodes = count_numa_nodes(tree);
  const Clocks clocks = read_clocks(tree, first_threads(topology));
  out.base_clock_mhz = clocks.base_mhz != 0 ? clocks.base_mhz : processor.base_clock_mhz;
  out.max_clock_mhz = clocks.max_mhz != 0 ? clocks.max_mhz : processor.max_clock_mhz;
  out.kinds = read_kinds(tree, topology, processor);
  read_caches(tree, topology, processor.vendor, out);
  return out;
}

}  // namespace nexus_cpu

#endif  // !__APPLE__
