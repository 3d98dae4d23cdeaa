// SPDX-License-Identifier: Apache-2.0
#include "machine/topology.hpp"

#include <algorithm>
#include <set>

namespace nexus_cpu NXS_HIDDEN {
namespace {

Group online_processors(const SystemTree &tree) {
  Group online = tree.list("/sys/devices/system/cpu/online");
  if (!online.empty()) return online;
  const std::string cpuinfo = tree.text("/proc/cpuinfo");
  std::string numbers;
  for_each_line(cpuinfo, [&](std::string_view line) {
    if (const auto number = value_of(line, "processor")) numbers.append(*number).append(",");
    return true;
  });
  return parse_list(numbers);
}

// The first that is there: newer kernels call a group by another name.
Group group_of(const SystemTree &tree, unsigned processor,
               std::initializer_list<std::string_view> files) {
  for (const std::string_view file : files) {
    Group group = tree.list(processor_file(processor, file));
    if (std::binary_search(group.begin(), group.end(), processor)) return group;
  }
  return {};
}

// Empty where a processor is in no group. A group is read once, by the first in it.
std::vector<Group> groups_of(const SystemTree &tree, const Group &online,
                             std::initializer_list<std::string_view> files) {
  std::vector<Group> groups;
  std::set<unsigned> grouped;
  for (const unsigned processor : online) {
    if (grouped.contains(processor)) continue;
    Group group = group_of(tree, processor, files);
    if (group.empty()) return {};
    grouped.insert(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

// Arm kernels write -1 where the firmware does not tell.
bool tells_sockets(const SystemTree &tree, const Group &online) {
  return !online.empty() &&
         tree.line(processor_file(online.front(), "/topology/physical_package_id")) != "-1";
}

}  // namespace

Topology read_topology(const SystemTree &tree) {
  Topology out;
  out.online = online_processors(tree);
  out.cores =
      groups_of(tree, out.online, {"/topology/core_cpus_list", "/topology/thread_siblings_list"});
  if (tells_sockets(tree, out.online)) {
    out.sockets = groups_of(tree, out.online,
                            {"/topology/package_cpus_list", "/topology/core_siblings_list"});
  }
  return out;
}

uint64_t count_numa_nodes(const SystemTree &tree) {
  const Group nodes = tree.list("/sys/devices/system/node/has_memory");
  return nodes.empty() ? tree.list("/sys/devices/system/node/online").size() : nodes.size();
}

bool contains_all(const Group &whole, const Group &part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace nexus_cpu
