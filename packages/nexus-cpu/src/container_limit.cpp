// SPDX-License-Identifier: Apache-2.0
#include "container_limit.hpp"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double share(int64_t quota, int64_t period) {
  return quota > 0 && period > 0 ? static_cast<double>(quota) / static_cast<double>(period)
                                 : kNoLimit;
}

// Version 2, one file: "150000 100000", or "max 100000".
double limit_of_unified_group(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  int64_t quota = 0;
  int64_t period = 0;
  return file >> quota >> period ? share(quota, period) : kNoLimit;
}

// Version 1, two files; a quota of -1 is none.
double limit_of_cpu_group(const std::string &folder) {
  int64_t quota = 0;
  int64_t period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return share(quota, period);
}

using LimitOf = double (*)(const std::string &folder);

// Of the group and of all around it. Inside a container the path may be the host's: what is not
// there has no limit, and the mounted folder itself is the container's.
double smallest_limit(const std::string &mounted, std::string path, LimitOf limit_of) {
  double smallest = kNoLimit;
  for (;;) {
    smallest = std::fmin(smallest, limit_of(mounted + path));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return smallest;
    path.resize(slash);
  }
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

}  // namespace

unsigned container_limit(const std::string &root) {
  const std::string mounts = root + "/sys/fs/cgroup";
  double smallest = kNoLimit;
  std::ifstream groups(root + "/proc/self/cgroup");
  // A line is number:controllers:path; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      smallest = std::fmin(smallest, smallest_limit(mounts, path, limit_of_unified_group));
    } else if (has_word(controllers, "cpu")) {
      for (const std::string &mounted : {mounts + "/cpu", mounts + "/" + controllers}) {
        smallest = std::fmin(smallest, smallest_limit(mounted, path, limit_of_cpu_group));
      }
    }
  }
  constexpr double kMost = 1 << 20;
  return smallest > kMost ? 0 : static_cast<unsigned>(std::ceil(smallest));
}

}  // namespace nexus_cpu
