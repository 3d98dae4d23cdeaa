// SPDX-License-Identifier: Apache-2.0
// The machine as macOS describes it.
#if defined(__APPLE__)

#include "machine/machine.hpp"

#include <algorithm>
#include <cctype>

namespace nexus_cpu NXS_HIDDEN {

#if !defined(__x86_64__)

namespace {

constexpr std::string_view kFlags[] = {"FEAT_FP16", "FEAT_DotProd", "FEAT_BF16", "FEAT_I8MM",
                                       "FEAT_SME"};

// "Apple M2 Pro" is an apple-m2.
std::string apple_architecture(const std::string &brand) {
  constexpr std::string_view prefix = "Apple M";
  if (!brand.starts_with(prefix) || brand.size() <= prefix.size()) return "armv8-a";
  return std::string("apple-m") + brand[prefix.size()];
}

}  // namespace

Processor read_processor(const SystemTree &) {
  Processor out;
  out.name = system_text("machdep.cpu.brand_string");
  out.vendor = "Apple";
  out.architecture = apple_architecture(out.name);
  out.level = "apple-m1";
  for (const std::string_view flag : kFlags) {
    const std::string name(flag);
    if (system_number("hw.optional.arm." + name) != 0) out.features.push_back(name);
  }
  out.simd_lanes = 4;
  return out;
}

bool can_tell_feature(std::string_view feature) {
  return std::find(std::begin(kFlags), std::end(kFlags), feature) != std::end(kFlags);
}

#endif  // !__x86_64__

namespace {

// One kind of core: the start of its names in sysctl, such as "hw.perflevel0.", and the end of the
// names of its caches, such as " of efficiency cores"; empty for the first kind.
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
    CoreKind kind;
    kind.name = system_text(level + "name") + " core";
    kind.cores = system_number(level + "physicalcpu");
    kind.threads = system_number(level + "logicalcpu");
    kind.threads_per_core = kind.cores == 0 ? 0 : kind.threads / kind.cores;
    add_apple_caches(out, {level, kind.name, i == 0 ? std::string() : apple_suffix(kind.name)});
    out.kinds.push_back(std::move(kind));
  }
  if (levels <= 1) add_apple_caches(out, {"hw.", "Core", ""});
  return out;
}

}  // namespace nexus_cpu

#endif  // __APPLE__
