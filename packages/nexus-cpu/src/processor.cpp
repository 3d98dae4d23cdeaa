// SPDX-License-Identifier: Apache-2.0
#include "processor.hpp"

#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

#if defined(__APPLE__)

uint64_t system_number(const char *name) {
  uint64_t value = 0;
  std::size_t size = sizeof(value);
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? value : 0;
}

void read_system(Processor &out) {
  out.cores = system_number("hw.physicalcpu");
  out.threads = system_number("hw.logicalcpu");
  out.cache_line = system_number("hw.cachelinesize");
  out.memory = system_number("hw.memsize");
  if (const uint64_t size = system_number("hw.l1dcachesize")) out.caches.push_back({"L1", size, 0});
  if (const uint64_t size = system_number("hw.l2cachesize")) out.caches.push_back({"L2", size, 0});
  if (const uint64_t size = system_number("hw.l3cachesize")) out.caches.push_back({"L3", size, 0});
}

#else

std::string read_line(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "1024K" is 1048576; 0 where there is no number.
uint64_t read_number(const std::string &path) {
  const std::string text = read_line(path);
  uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    value = value * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  if (at < text.size() && text[at] == 'K') value <<= 10;
  if (at < text.size() && text[at] == 'M') value <<= 20;
  return value;
}

// The path of a file about one processor.
std::string processor_path(uint64_t index, const std::string &file) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(index) + file;
}

// Units of hardware are told apart by the list of threads that share them.
uint64_t count_distinct(uint64_t threads, const std::string &file) {
  std::set<std::string> lists;
  for (uint64_t i = 0; i < threads; ++i) {
    const std::string list = read_line(processor_path(i, file));
    if (!list.empty()) lists.insert(list);
  }
  return lists.size();
}

void read_caches(Processor &out) {
  for (int index = 0; index < 16; ++index) {
    const std::string cache = "/cache/index" + std::to_string(index);
    const std::string folder = processor_path(0, cache);
    const std::string type = read_line(folder + "/type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    const uint64_t size = read_number(folder + "/size");
    if (size == 0) continue;
    if (out.cache_line == 0) out.cache_line = read_number(folder + "/coherency_line_size");
    out.caches.push_back({std::string("L").append(read_line(folder + "/level")), size,
                          count_distinct(out.threads, cache + "/shared_cpu_list")});
  }
  std::stable_sort(out.caches.begin(), out.caches.end(),
                   [](const Cache &a, const Cache &b) { return a.name < b.name; });
}

void read_system(Processor &out) {
  const long threads = sysconf(_SC_NPROCESSORS_ONLN);
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (threads > 0) out.threads = static_cast<uint64_t>(threads);
  if (pages > 0 && page > 0)
    out.memory = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
  out.cores = count_distinct(out.threads, "/topology/thread_siblings_list");
  constexpr uint64_t kKilohertz = 1000;
  out.max_clock_mhz = read_number(processor_path(0, "/cpufreq/cpuinfo_max_freq")) / kKilohertz;
  out.base_clock_mhz = read_number(processor_path(0, "/cpufreq/base_frequency")) / kKilohertz;
  read_caches(out);
}

#endif

}  // namespace

Processor read_processor() {
  Processor out;
  InstructionSet set = read_instruction_set();
  out.name = std::move(set.name);
  out.vendor = std::move(set.vendor);
  out.architecture = std::move(set.architecture);
  out.level = std::move(set.level);
  out.features = std::move(set.features);
  out.simd_lanes = set.simd_lanes;
  read_system(out);
  return out;
}

}  // namespace nexus_cpu
