// SPDX-License-Identifier: Apache-2.0
#if defined(__APPLE__)

#include "machine/machine.hpp"
#include "system/apple_system.hpp"

#include <algorithm>
#include <cctype>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// One kind of core: what sysctl's names of it begin with, as "hw.perflevel0.", and what the names
// of its caches end with, as " of efficiency cores"; of the first kind nothing.
struct AppleLevel {
  std::string prefix, unit, suffix;

  uint64_t number(const char *key) const { return system_number(prefix + key); }
};

// sharing: how many threads share one; 0: not known.
void add_apple_cache(std::vector<Cache> &to, const AppleLevel &level, const std::string &name,
                     const char *size_key, uint64_t sharing) {
  Cache cache;
  cache.name = name + level.suffix;
  cache.size = level.number(size_key);
  if (cache.size == 0) return;
  const uint64_t threads = level.number("logicalcpu");
  cache.threads_sharing = sharing;
  if (sharing != 0) cache.shared_by = name.starts_with("L1") ? level.unit : "Cluster";
  if (sharing != 0 && threads % sharing == 0) cache.count = threads / sharing;
  cache.total_size = cache.count * cache.size;
  cache.line_size = system_number("hw.cachelinesize");
  to.push_back(std::move(cache));
}

void add_apple_caches(Machine &out, const AppleLevel &level) {
  std::vector<Cache> &data = level.suffix.empty() ? out.caches : out.others;
  const uint64_t cores = level.number("physicalcpu");
  const uint64_t per_core = cores == 0 ? 0 : level.number("logicalcpu") / cores;
  add_apple_cache(data, level, "L1", "l1dcachesize", per_core);
  add_apple_cache(data, level, "L2", "l2cachesize", level.number("cpusperl2"));
  add_apple_cache(data, level, "L3", "l3cachesize", 0);
  add_apple_cache(out.others, level, "L1i", "l1icachesize", per_core);
}

CoreKind read_apple_kind(const std::string &level) {
  CoreKind kind;
  kind.name = system_text(level + "name") + " core";
  kind.cores = system_number(level + "physicalcpu");
  kind.threads = system_number(level + "logicalcpu");
  kind.threads_per_core = kind.cores == 0 ? 0 : kind.threads / kind.cores;
  return kind;
}

// "Efficiency core" makes " of efficiency cores".
std::string apple_suffix(std::string name) {
  name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return " of " + name + "s";
}

}  // namespace

Machine read_machine(const SystemTree &, const Processor &processor) {
  constexpr uint64_t kMegahertz = 1000000;
  Machine out;
  out.cores = system_number("hw.physicalcpu");
  out.threads = system_number("hw.logicalcpu");
  out.threads_per_core = out.cores == 0 ? 0 : out.threads / out.cores;
  out.sockets = system_number("hw.packages");
  out.cache_line = system_number("hw.cachelinesize");
  out.max_clock_mhz = system_number("hw.cpufrequency_max") / kMegahertz;
  if (out.max_clock_mhz == 0) out.max_clock_mhz = processor.max_clock_mhz;
  out.base_clock_mhz = processor.base_clock_mhz;
  const uint64_t levels = system_number("hw.nperflevels");
  for (uint64_t i = 0; levels > 1 && i < levels; ++i) {
    const std::string level = "hw.perflevel" + std::to_string(i) + ".";
    out.kinds.push_back(read_apple_kind(level));
    const std::string &unit = out.kinds.back().name;
    add_apple_caches(out, {level, unit, i == 0 ? std::string() : apple_suffix(unit)});
  }
  if (levels <= 1) add_apple_caches(out, {"hw.", "Core", ""});
  return out;
}

}  // namespace nexus_cpu

#endif  // __APPLE__
