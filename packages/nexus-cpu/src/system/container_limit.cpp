// SPDX-License-Identifier: Apache-2.0
#include "system/container_limit.hpp"

#include <cmath>
#include <limits>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// No path is longer, and no process is in more groups than so many bytes tell.
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMostGroupText = 65536;

double share(std::optional<uint64_t> quota, std::optional<uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return kNoLimit;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// "150000 100000", or "max 100000".
double unified_time(const SystemTree &tree, const std::string &folder) {
  const std::string line = tree.line(folder + "/cpu.max");
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return kNoLimit;
  return share(parse_number(line.substr(0, blank)), parse_number(line.substr(blank)));
}

// A quota of -1 is none.
double grouped_time(const SystemTree &tree, const std::string &folder) {
  return share(tree.number(folder + "/cpu.cfs_quota_us"),
               tree.number(folder + "/cpu.cfs_period_us"));
}

double bytes_or_none(std::optional<uint64_t> bytes) {
  // Version 1 says that there is no limit by the largest number of pages.
  constexpr uint64_t kUnlimited = uint64_t{1} << 62;
  return bytes && *bytes < kUnlimited ? static_cast<double>(*bytes) : kNoLimit;
}

double unified_memory(const SystemTree &tree, const std::string &folder) {
  return bytes_or_none(tree.number(folder + "/memory.max"));
}

double grouped_memory(const SystemTree &tree, const std::string &folder) {
  return bytes_or_none(tree.number(folder + "/memory.limit_in_bytes"));
}

using LimitOf = double (*)(const SystemTree &tree, const std::string &folder);

// One thing that is limited: the controller of version 1, and how each version's groups tell it.
struct Limited {
  std::string_view controller;
  LimitOf unified, grouped;
};

constexpr Limited kTime = {"cpu", unified_time, grouped_time};
constexpr Limited kMemory = {"memory", unified_memory, grouped_memory};

// Of the group and of all around it. Inside a container the path may be the host's: what is not
// there has no limit, and the mounted folder itself is the container's.
double smallest_around(const SystemTree &tree, const std::string &mounted, std::string path,
                       LimitOf limit_of) {
  double smallest = kNoLimit;
  while (path.size() <= kLongestPath) {
    smallest = std::fmin(smallest, limit_of(tree, mounted + path));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) break;
    path.resize(slash);
  }
  return smallest;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

// The line is number:controllers:path; version 2 has no controllers.
double limit_of_line(const SystemTree &tree, std::string_view line, const Limited &what) {
  const std::string mounts = "/sys/fs/cgroup";
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return kNoLimit;
  const std::string controllers(line.substr(first + 1, second - first - 1));
  const std::string path(line.substr(second + 1));
  if (controllers.empty()) return smallest_around(tree, mounts, path, what.unified);
  if (!has_word(controllers, what.controller)) return kNoLimit;
  const std::string alone = mounts + "/" + std::string(what.controller);
  return std::fmin(smallest_around(tree, alone, path, what.grouped),
                   smallest_around(tree, mounts + "/" + controllers, path, what.grouped));
}

double smallest_limit(const SystemTree &tree, const Limited &what) {
  double smallest = kNoLimit;
  const std::string groups = tree.text("/proc/self/cgroup").substr(0, kMostGroupText);
  for_each_line(groups, [&](std::string_view line) {
    smallest = std::fmin(smallest, limit_of_line(tree, line, what));
    return true;
  });
  return smallest;
}

}  // namespace

std::optional<double> processor_time_limit(const SystemTree &tree) {
  const double limit = smallest_limit(tree, kTime);
  return limit == kNoLimit ? std::nullopt : std::optional(limit);
}

std::optional<uint64_t> memory_limit(const SystemTree &tree) {
  const double limit = smallest_limit(tree, kMemory);
  return limit == kNoLimit ? std::nullopt : std::optional(static_cast<uint64_t>(limit));
}

unsigned container_limit(const SystemTree &tree) {
  constexpr double kMost = 1 << 20;
  const double limit = processor_time_limit(tree).value_or(kNoLimit);
  return limit > kMost ? 0 : static_cast<unsigned>(std::ceil(limit));
}

}  // namespace nexus_cpu
