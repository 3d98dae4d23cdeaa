// SPDX-License-Identifier: Apache-2.0
#include "machine/caches.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Bytes. So that the sum of them is a number too.
constexpr uint64_t kLargestCache = uint64_t{1} << 44;

// One cache of the machine.
struct CacheFolder {
  std::string path;
  uint64_t level;
  bool instructions;
  Group shared;  // by these threads; empty where that is not known
};

// Empty where what lies there is no cache.
std::optional<CacheFolder> read_cache_folder(const SystemTree &tree, std::string path) {
  const std::string type = tree.line(path + "/type");
  const auto level = tree.number(path + "/level");
  if (type != "Data" && type != "Unified" && type != "Instruction") return std::nullopt;
  if (!level || *level == 0 || *level > 9) return std::nullopt;
  Group shared = tree.list(path + "/shared_cpu_list");
  return CacheFolder{std::move(path), *level, type == "Instruction", std::move(shared)};
}

// Each cache once: its folder stands below all the threads that share it, under the same name.
std::vector<CacheFolder> find_caches(const SystemTree &tree, const Topology &topology) {
  std::vector<CacheFolder> found;
  std::map<std::string, std::set<unsigned>> seen;
  for (const unsigned processor : topology.online) {
    const std::string folder = processor_file(processor, "/cache");
    for (const std::string &name : tree.names(folder, "index")) {
      if (seen[name].contains(processor)) continue;
      auto cache = read_cache_folder(tree, folder + "/" + name);
      if (!cache) continue;
      seen[name].insert(cache->shared.begin(), cache->shared.end());
      found.push_back(std::move(*cache));
    }
  }
  return found;
}

// The kind of core whose own it is; nullptr for the first kind, and for what several share.
const CoreKind *owning_kind(const Machine &machine, const CacheFolder &cache) {
  for (std::size_t i = 1; i < machine.kinds.size(); ++i) {
    if (!cache.shared.empty() && contains_all(machine.kinds[i].processors, cache.shared)) {
      return &machine.kinds[i];
    }
  }
  return nullptr;
}

// The part of the machine that the threads which share it make up.
std::string sharing_unit(const Topology &topology, const Machine &machine,
                         const std::string &vendor, const CacheFolder &cache) {
  if (cache.shared.empty()) return {};
  std::string kind;
  for (const CoreKind &one : machine.kinds) {
    if (contains_all(one.processors, cache.shared)) kind = one.name;
  }
  const auto within_one_of = [&](const std::vector<Group> &groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const Group &group) { return contains_all(group, cache.shared); });
  };
  if (within_one_of(topology.cores)) return kind.empty() ? "Core" : kind;
  if (contains_all(cache.shared, topology.online)) return "Device";
  if (!kind.empty()) return kind + " cluster";
  const auto is_whole = [&](const Group &group) { return contains_all(cache.shared, group); };
  if (std::any_of(topology.sockets.begin(), topology.sockets.end(), is_whole)) return "Socket";
  return vendor == "AMD" && cache.level == 3 ? "CCX" : "Cluster";
}

void add_one(const SystemTree &tree, const CacheFolder &folder, Cache &cache) {
  const uint64_t told = tree.size(folder.path + "/size").value_or(0);
  const uint64_t size = told <= kLargestCache ? told : 0;
  const bool first = cache.count == 0;
  const uint64_t largest = std::max({cache.size, cache.max_size, size});
  cache.size = first ? size : std::min(cache.size, size);
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

// Without that, several may be one.
void forget_sharing(Cache &cache) {
  cache.count = cache.total_size = cache.threads_sharing = 0;
  cache.shared_by.clear();
}

bool is_usual(const Cache &cache) {
  return cache.name.size() == 2 && cache.name[0] == 'L';
}

}  // namespace

void read_caches(const SystemTree &tree, const Topology &topology, const std::string &vendor,
                 Machine &machine) {
  // By kind, then level; each kind's caches of instructions after those of data.
  using Key = std::tuple<const CoreKind *, bool, uint64_t>;
  std::map<Key, Cache> all;
  std::set<Key> unshared;
  for (const CacheFolder &folder : find_caches(tree, topology)) {
    const CoreKind *kind = owning_kind(machine, folder);
    const Key key{kind, folder.instructions, folder.level};
    if (folder.shared.empty()) unshared.insert(key);
    Cache &cache = all[key];
    if (cache.name.empty()) {
      cache.name = (kind == nullptr ? "" : kind->name + " ") + "L" + std::to_string(folder.level) +
                   (folder.instructions ? "i" : "");
      cache.shared_by = sharing_unit(topology, machine, vendor, folder);
    }
    add_one(tree, folder, cache);
  }
  for (auto &[key, cache] : all) {
    if (unshared.contains(key)) forget_sharing(cache);
    if (machine.cache_line == 0) machine.cache_line = cache.line_size;
    (is_usual(cache) ? machine.caches : machine.others).push_back(std::move(cache));
  }
}

}  // namespace nexus_cpu
