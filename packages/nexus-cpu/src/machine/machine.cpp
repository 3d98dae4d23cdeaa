// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <algorithm>
#include <iterator>
#include <nexus-plugin/base/json.hpp>
#include <set>
#include <tuple>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

#if !defined(__APPLE__)

namespace {

// Bytes. So that the sum of them is a number too.
constexpr uint64_t kLargestCache = uint64_t{1} << 44;

// How Linux groups the processors that are in use.
struct Topology {
  Group online;
  std::vector<Group> cores;    // those that share a core; empty if that is not known
  std::vector<Group> sockets;  // likewise of a package
};

bool contains_all(const Group &whole, const Group &part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Group common(const Group &a, const Group &b) {
  Group both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Group online_processors(const SystemTree &tree) {
  Group online = tree.list("/sys/devices/system/cpu/online");
  if (!online.empty()) return online;
  std::string numbers;
  for_each_line(tree.text("/proc/cpuinfo"), [&](std::string_view line) {
    if (const auto number = value_of(line, "processor")) numbers.append(*number).append(",");
  });
  return parse_list(numbers);
}

// Newer kernels call a group by another name. Returns nothing if a processor is in no group.
std::vector<Group> groups_of(const SystemTree &tree, const Group &online, std::string_view file,
                             std::string_view older_file) {
  std::vector<Group> groups;
  std::set<unsigned> grouped;
  for (const unsigned processor : online) {
    if (grouped.contains(processor)) continue;
    const auto is_in = [&](const Group &group) {
      return std::binary_search(group.begin(), group.end(), processor);
    };
    Group group = tree.list(processor_file(processor, file));
    if (!is_in(group)) group = tree.list(processor_file(processor, older_file));
    if (!is_in(group)) return {};
    grouped.insert(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

Topology read_topology(const SystemTree &tree) {
  Topology out;
  out.online = online_processors(tree);
  out.cores =
      groups_of(tree, out.online, "/topology/core_cpus_list", "/topology/thread_siblings_list");
  // Arm kernels write -1 where the firmware does not report.
  if (!out.online.empty() &&
      tree.line(processor_file(out.online.front(), "/topology/physical_package_id")) != "-1") {
    out.sockets =
        groups_of(tree, out.online, "/topology/package_cpus_list", "/topology/core_siblings_list");
  }
  return out;
}

// ---- Kinds of cores ---------------------------------------------------

// The kernel has a device for each kind of core of an Intel client processor.
std::vector<CoreKind> intel_kinds(const SystemTree &tree, const std::string &architecture) {
  CoreKind large, small;
  large.name = "P-core";
  large.processors = tree.list("/sys/devices/cpu_core/cpus");
  small.name = "E-core";
  small.processors = tree.list("/sys/devices/cpu_atom/cpus");
  if (large.processors.empty() || small.processors.empty()) return {};
  // LLVM has no name for the efficient cores of others.
  if (architecture == "alderlake" || architecture == "raptorlake") small.architecture = "gracemont";
  return {std::move(large), std::move(small)};
}

std::vector<CoreKind> arm_kinds(const SystemTree &tree, const Processor &processor) {
  std::map<unsigned, CoreKind> by_number;
  for (const auto &[number, signature] : read_arm_signatures(tree)) {
    CoreKind &kind = by_number[signature.kind()];
    kind.architecture = arm_architecture(signature);
    kind.name = kind.architecture.empty()
                    ? join("part ", signature.part, " of ", arm_vendor(signature.implementer))
                    : kind.architecture;
    kind.processors.push_back(number);
  }
  std::vector<CoreKind> kinds;
  std::map<std::string, unsigned> alike;  // several parts may have one architecture
  for (const auto &[number, kind] : by_number) ++alike[kind.name];
  for (auto &[number, kind] : by_number) {
    const unsigned part = number & 0xfff;
    if (alike[kind.name] > 1) kind.name = join(kind.name, " part ", part);
    kinds.insert(processor.model == part ? kinds.begin() : kinds.end(), std::move(kind));
  }
  return kinds;
}

// Returns MHz of the fastest of the cores, from files that tell it in kHz; 0 if none does.
uint64_t fastest(const SystemTree &tree, const Group &processors, std::string_view file) {
  uint64_t highest = 0;
  for (const unsigned processor : processors) {
    highest = std::max(highest, tree.number(processor_file(processor, file)).value_or(0));
  }
  return highest / 1000;
}

// Returns the base clock and the highest, in MHz. Only some drivers tell the base clock; of the
// others firmware may.
std::pair<uint64_t, uint64_t> read_clocks(const SystemTree &tree, const Group &processors) {
  uint64_t base = fastest(tree, processors, "/cpufreq/base_frequency");
  if (base == 0 && !processors.empty()) {
    const std::string file = processor_file(processors.front(), "/acpi_cppc/nominal_freq");
    base = tree.number(file).value_or(0);
  }
  return {base, fastest(tree, processors, "/cpufreq/cpuinfo_max_freq")};
}

// Returns one thread of each core: the others have the same clock.
Group first_threads(const Topology &topology) {
  if (topology.cores.empty()) return topology.online;
  Group firsts;
  for (const Group &core : topology.cores) firsts.push_back(core.front());
  std::sort(firsts.begin(), firsts.end());
  return firsts;
}

// Returns the threads of a core that consists of the processors; 0 if cores differ.
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
  std::vector<CoreKind> kinds = intel_kinds(tree, processor.architecture);
  if (kinds.empty()) kinds = arm_kinds(tree, processor);
  for (CoreKind &kind : kinds) {
    kind.processors = common(kind.processors, topology.online);
    const Group firsts = common(kind.processors, first_threads(topology));
    kind.threads = kind.processors.size();
    kind.cores = topology.cores.empty() ? 0 : firsts.size();
    kind.threads_per_core = threads_per_core(topology, kind.processors);
    std::tie(kind.base_clock_mhz, kind.max_clock_mhz) = read_clocks(tree, firsts);
  }
  std::erase_if(kinds, [](const CoreKind &kind) { return kind.threads == 0; });
  if (kinds.size() < 2) kinds.clear();
  return kinds;
}

// ---- Caches -----------------------------------------------------------

// A cache's folder in the system.
struct CacheFolder {
  std::string path;
  uint64_t level;
  bool instructions;
  Group shared;  // by these threads; empty if that is not known
};

// Finds each cache once: its folder stands below all the threads that share it, under the same
// name.
std::vector<CacheFolder> find_caches(const SystemTree &tree, const Topology &topology) {
  std::vector<CacheFolder> found;
  std::map<std::string, std::set<unsigned>> seen;
  for (const unsigned processor : topology.online) {
    const std::string folder = processor_file(processor, "/cache/");
    for (const std::string &name : tree.names(folder, "index")) {
      if (seen[name].contains(processor)) continue;
      const std::string type = tree.line(folder + name + "/type");
      const uint64_t level = tree.number(folder + name + "/level").value_or(0);
      if (type != "Data" && type != "Unified" && type != "Instruction") continue;
      if (level == 0 || level > 9) continue;
      found.push_back({folder + name, level, type == "Instruction",
                       tree.list(folder + name + "/shared_cpu_list")});
      seen[name].insert(found.back().shared.begin(), found.back().shared.end());
    }
  }
  return found;
}

// Returns the index of the kind of core that alone has the cache; 0 for the first kind, and for
// shared caches.
std::size_t owning_kind(const Machine &machine, const CacheFolder &cache) {
  for (std::size_t i = 1; i < machine.kinds.size(); ++i) {
    if (!cache.shared.empty() && contains_all(machine.kinds[i].processors, cache.shared)) return i;
  }
  return 0;
}

// Returns the part of the machine that consists of the threads that share it.
std::string sharing_unit(const Topology &topology, const Machine &machine,
                         const std::string &vendor, const CacheFolder &cache) {
  if (cache.shared.empty()) return {};
  std::string kind;
  for (const CoreKind &one : machine.kinds) {
    if (contains_all(one.processors, cache.shared)) kind = one.name;
  }
  const auto is_within = [&](const Group &core) { return contains_all(core, cache.shared); };
  if (std::ranges::any_of(topology.cores, is_within)) return kind.empty() ? "Core" : kind;
  if (contains_all(cache.shared, topology.online)) return "Device";
  if (!kind.empty()) return kind + " cluster";
  const auto has = [&](const Group &socket) { return contains_all(cache.shared, socket); };
  if (std::ranges::any_of(topology.sockets, has)) return "Socket";
  return vendor == "AMD" && cache.level == 3 ? "CCX" : "Cluster";
}

void add_one(const SystemTree &tree, const CacheFolder &folder, Cache &cache) {
  const uint64_t told = tree.size(folder.path + "/size").value_or(0);
  const uint64_t size = told <= kLargestCache ? told : 0;
  const uint64_t largest = std::max({cache.size, cache.max_size, size});
  cache.size = cache.count == 0 ? size : std::min(cache.size, size);
  cache.max_size = largest == cache.size ? 0 : largest;
  cache.total_size += size;
  ++cache.count;
  if (cache.line_size == 0) {
    cache.line_size = tree.number(folder.path + "/coherency_line_size").value_or(0);
  }
  if (cache.ways == 0) {
    cache.ways = tree.number(folder.path + "/ways_of_associativity").value_or(0);
  }
  cache.threads_sharing = std::max<uint64_t>(cache.threads_sharing, folder.shared.size());
}

// Fills caches, others and cache_line of the machine, of which kinds is read.
void read_caches(const SystemTree &tree, const Topology &topology, const std::string &vendor,
                 Machine &machine) {
  // By kind, then level; each kind's instruction caches after its data caches.
  using Key = std::tuple<std::size_t, bool, uint64_t>;
  std::map<Key, Cache> all;
  std::set<Key> unshared;
  for (const CacheFolder &folder : find_caches(tree, topology)) {
    const std::size_t kind = owning_kind(machine, folder);
    const Key key{kind, folder.instructions, folder.level};
    if (folder.shared.empty()) unshared.insert(key);
    Cache &cache = all[key];
    if (cache.name.empty()) {
      cache.name = join(kind == 0 ? "" : machine.kinds[kind].name + " ", "L", folder.level,
                        folder.instructions ? "i" : "");
      cache.shared_by = sharing_unit(topology, machine, vendor, folder);
    }
    add_one(tree, folder, cache);
  }
  for (auto &[key, cache] : all) {
    if (unshared.contains(key)) {  // then several may be one
      cache.count = cache.total_size = cache.threads_sharing = 0;
      cache.shared_by.clear();
    }
    if (machine.cache_line == 0) machine.cache_line = cache.line_size;
    const bool usual = std::get<0>(key) == 0 && !std::get<1>(key);
    (usual ? machine.caches : machine.others).push_back(std::move(cache));
  }
}

}  // namespace

Machine read_machine(const SystemTree &tree, const Processor &processor) {
  Machine out;
  const Topology topology = read_topology(tree);
  const Group nodes = tree.list("/sys/devices/system/node/has_memory");
  out.threads = topology.online.size();
  out.cores = topology.cores.size();
  out.sockets = topology.sockets.size();
  out.threads_per_core = threads_per_core(topology, topology.online);
  out.numa_nodes =
      nodes.empty() ? tree.list("/sys/devices/system/node/online").size() : nodes.size();
  const auto [base, highest] = read_clocks(tree, first_threads(topology));
  out.base_clock_mhz = base != 0 ? base : processor.base_clock_mhz;
  out.max_clock_mhz = highest != 0 ? highest : processor.max_clock_mhz;
  out.kinds = read_kinds(tree, topology, processor);
  read_caches(tree, topology, processor.vendor, out);
  return out;
}

#endif  // !__APPLE__

std::string core_json(const Processor &processor, const Machine &machine) {
  JsonObject out;
  out.add("SubUnitType", "Core")
      .add("Count", machine.cores)
      .add("ThreadCount", machine.threads)
      .add("ThreadsPerCore", machine.threads_per_core)
      .add("SIMDSize", processor.simd_lanes)
      .add("BaseClock", machine.base_clock_mhz)
      .add("MaxClock", machine.max_clock_mhz);
  std::vector<std::string> kinds;
  for (const CoreKind &kind : machine.kinds) {
    kinds.push_back(JsonObject()
                        .add("Name", kind.name)
                        .add("Count", kind.cores)
                        .add("TotalCount", kind.cores)
                        .add("ThreadsPerCore", kind.threads_per_core)
                        .add("BaseClock", kind.base_clock_mhz)
                        .add("MaxClock", kind.max_clock_mhz)
                        .add("Architecture", kind.architecture)
                        .done());
  }
  if (!kinds.empty()) out.add_json("Units", json_array(kinds));
  return out.done();
}

std::string memory_json(const Machine &machine, uint64_t memory_size) {
  std::vector<std::string> types, names;
  const auto add = [&](const Cache &cache, const char *kind = "cache") {
    names.push_back(cache.name);
    types.push_back(JsonObject()
                        .add("Name", cache.name)
                        .add("Kind", kind)
                        .add("Size", cache.size)
                        .add("MaxSize", cache.max_size)
                        .add("Count", cache.count)
                        .add("TotalSize", cache.total_size)
                        .add("SharedBy", cache.shared_by)
                        .add("ThreadsSharing", cache.threads_sharing)
                        .add("LineSize", cache.line_size)
                        .add("Ways", cache.ways)
                        .done());
  };
  for (const Cache &cache : machine.caches) add(cache);
  if (memory_size != 0) add({.name = "Global", .size = memory_size, .count = 1}, "memory");
  for (const Cache &cache : machine.others) add(cache);
  return JsonObject()
      .add_json("UnifiedMemory", "1")
      .add_json("MemoryTypes", json_array(types))
      .add_json("SupportedMemoryTypes", json_list(names))
      .done();
}

}  // namespace nexus_cpu
