// SPDX-License-Identifier: Apache-2.0
#include "system/usage.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <nexus-plugin/base/text.hpp>
#include <thread>
#include <utility>
#if defined(__APPLE__)
#include <mach/mach.h>
#include <unistd.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

using std::chrono::steady_clock;

// ---- Limits -----------------------------------------------------------

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
// Enough bytes for the longest path and for the groups of any process.
constexpr std::size_t kLongestPath = 4096;
constexpr std::size_t kMostGroupText = 65536;

double share(std::optional<uint64_t> quota, std::optional<uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return kNoLimit;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

double bytes_or_none(std::optional<uint64_t> bytes) {
  // Version 1 says that there is no limit by the largest number of pages.
  constexpr uint64_t kUnlimited = uint64_t{1} << 62;
  return bytes && *bytes < kUnlimited ? static_cast<double>(*bytes) : kNoLimit;
}

using LimitOf = double (*)(const SystemTree &tree, const std::string &folder);

// A limit's controller in version 1, and how a group's folder says it in version 2 and 1.
struct Limited {
  std::string_view controller;
  LimitOf unified, grouped;
};

constexpr Limited kTime = {
    "cpu",
    [](const SystemTree &tree, const std::string &folder) {
      const std::string line = tree.line(folder + "/cpu.max");  // "150000 100000" or "max 100000"
      const std::size_t blank = line.find(' ');
      if (blank == std::string::npos) return kNoLimit;
      return share(parse_number(line.substr(0, blank)), parse_number(line.substr(blank)));
    },
    [](const SystemTree &tree, const std::string &folder) {  // a quota of -1 is none
      return share(tree.number(folder + "/cpu.cfs_quota_us"),
                   tree.number(folder + "/cpu.cfs_period_us"));
    }};

constexpr Limited kMemory = {"memory",
                             [](const SystemTree &tree, const std::string &folder) {
                               return bytes_or_none(tree.number(folder + "/memory.max"));
                             },
                             [](const SystemTree &tree, const std::string &folder) {
                               return bytes_or_none(tree.number(folder + "/memory.limit_in_bytes"));
                             }};

// Returns the smallest limit of the group and of all around it. Inside a container the path may be
// the host's: a missing folder has no limit, and the mounted folder itself is the container's.
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

// The line is number:controllers:path; version 2 has no controllers.
double limit_of_line(const SystemTree &tree, std::string_view line, const Limited &what) {
  const std::string mounts = "/sys/fs/cgroup/";
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) return kNoLimit;
  const std::string controllers(line.substr(first + 1, second - first - 1));
  const std::string path(line.substr(second + 1));
  if (controllers.empty()) return smallest_around(tree, "/sys/fs/cgroup", path, what.unified);
  const std::string controller(what.controller);
  if (("," + controllers + ",").find("," + controller + ",") == std::string::npos) return kNoLimit;
  return std::fmin(smallest_around(tree, mounts + controller, path, what.grouped),
                   smallest_around(tree, mounts + controllers, path, what.grouped));
}

std::optional<double> smallest_limit(const SystemTree &tree, const Limited &what) {
  double smallest = kNoLimit;
  const std::string groups = tree.text("/proc/self/cgroup").substr(0, kMostGroupText);
  for_each_line(groups, [&](std::string_view line) {
    smallest = std::fmin(smallest, limit_of_line(tree, line, what));
  });
  return smallest == kNoLimit ? std::nullopt : std::optional(smallest);
}

}  // namespace

std::optional<double> processor_time_limit(const SystemTree &tree) {
  return smallest_limit(tree, kTime);
}

std::optional<uint64_t> memory_limit(const SystemTree &tree) {
  const auto limit = smallest_limit(tree, kMemory);
  return limit ? std::optional(static_cast<uint64_t>(*limit)) : std::nullopt;
}

unsigned container_limit(const SystemTree &tree) {
  constexpr double kMost = 1 << 20;
  const double limit = processor_time_limit(tree).value_or(kNoLimit);
  return limit > kMost ? 0 : static_cast<unsigned>(std::ceil(limit));
}

// ---- Memory -----------------------------------------------------------

std::optional<uint64_t> MemoryState::used() const {
  if (total == 0 || !free) return std::nullopt;
  return total - std::min(*free, total);
}

std::optional<uint64_t> MemoryState::used_percent() const {
  const auto bytes = used();
  if (!bytes) return std::nullopt;
  return static_cast<uint64_t>(100.0 * static_cast<double>(*bytes) / static_cast<double>(total) +
                               0.5);
}

#if defined(__APPLE__)

MemoryState read_memory(const SystemTree &) {
  MemoryState out;
  out.total = system_number("hw.memsize");
  vm_statistics64_data_t state{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const mach_port_t host = mach_host_self();
  if (host_statistics64(host, HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&state), &count) ==
      KERN_SUCCESS) {
    const uint64_t pages = uint64_t{state.free_count} + state.inactive_count;
    out.free = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  mach_port_deallocate(mach_task_self(), host);
  return out;
}

#else

MemoryState read_memory(const SystemTree &tree) {
  std::optional<uint64_t> total, idle, available;
  // "MemTotal:       24684092 kB" is a number of bytes.
  const auto take = [](std::optional<uint64_t> &bytes, std::string_view line,
                       std::string_view key) {
    auto value = value_of(line, key);
    if (!value || !value->ends_with("kB")) return;
    value->remove_suffix(2);
    const auto kilobytes = parse_number(*value);
    if (kilobytes && *kilobytes <= (INT64_MAX >> 10)) bytes = *kilobytes << 10;
  };
  for_each_line(tree.text("/proc/meminfo"), [&](std::string_view line) {
    take(total, line, "MemTotal");
    take(idle, line, "MemFree");
    take(available, line, "MemAvailable");
  });
  return {total.value_or(0), available ? available : idle};
}

#endif

// ---- Sensors ----------------------------------------------------------

namespace {

// x86 writes each processor's clock there, "cpu MHz : 3500.123". Without the counters it is the
// nominal one, and no clock of now.
std::optional<uint64_t> clock_of_cpuinfo(const SystemTree &tree) {
  bool measured = false;
  uint64_t highest = 0;
  for_each_line(tree.text("/proc/cpuinfo"), [&](std::string_view line) {
    if (const auto flags = value_of(line, "flags")) {
      measured = measured || flags->find("aperfmperf") != std::string_view::npos;
    } else if (const auto clock = value_of(line, "cpu MHz")) {
      highest = std::max(highest, parse_number(clock->substr(0, clock->find('.'))).value_or(0));
    }
  });
  return measured && highest != 0 ? std::optional(highest) : std::nullopt;
}

// kHz. Not asked first: on x86 older kernels wait 10 ms for each processor.
std::optional<uint64_t> clock_of_policies(const SystemTree &tree) {
  const std::string folder = "/sys/devices/system/cpu/cpufreq";
  constexpr uint64_t kKilohertz = 1000;
  uint64_t highest = 0;
  for (const std::string &policy : tree.names(folder, "policy")) {
    const auto clock = tree.number(folder + "/" + policy + "/scaling_cur_freq");
    highest = std::max(highest, clock.value_or(0));
  }
  return highest >= kKilohertz ? std::optional(highest / kKilohertz) : std::nullopt;
}

// Keeps the higher of the two temperatures. The file has thousandths of a degree: 0 if the
// sensor is off, and values out of range are not a processor's temperature.
void keep_highest(const SystemTree &tree, const std::string &path, std::optional<double> &highest) {
  const std::string line = tree.line(path);
  int64_t value = 0;
  const char *end = line.data() + line.size();
  const auto [stop, problem] = std::from_chars(line.data(), end, value);
  constexpr int64_t kLowest = -100000, kHighest = 250000;
  if (problem != std::errc() || stop != end) return;
  if (value == 0 || value < kLowest || value > kHighest) return;
  highest = std::max(highest, std::optional(static_cast<double>(value) / 1000));
}

std::optional<double> hottest_of_monitor(const SystemTree &tree, const std::string &folder) {
  constexpr std::string_view kInput = "_input";
  std::optional<double> measured, control;
  for (const std::string &name : tree.names(folder, "temp")) {
    if (!name.ends_with(kInput)) continue;
    const std::string sensor = folder + "/" + name.substr(0, name.size() - kInput.size());
    // Of AMD's sensors Tctl may stand above the temperature, to steer the fan.
    const bool steers = tree.line(sensor + "_label") == "Tctl";
    keep_highest(tree, folder + "/" + name, steers ? control : measured);
  }
  return measured ? measured : control;
}

std::optional<double> hottest_of_monitors(const SystemTree &tree) {
  constexpr std::array<std::string_view, 5> kProcessorMonitors = {"coretemp", "k10temp", "zenpower",
                                                                  "cpu_thermal", "cpu-thermal"};
  const std::string folder = "/sys/class/hwmon/";
  std::optional<double> highest;
  for (const std::string &name : tree.names(folder, "hwmon")) {
    const std::string kind = tree.line(folder + name + "/name");
    if (std::find(kProcessorMonitors.begin(), kProcessorMonitors.end(), kind) !=
        kProcessorMonitors.end()) {
      highest = std::max(highest, hottest_of_monitor(tree, folder + name));
    }
  }
  return highest;
}

std::optional<double> hottest_of_zones(const SystemTree &tree) {
  const std::string folder = "/sys/class/thermal/";
  std::optional<double> highest;
  for (const std::string &name : tree.names(folder, "thermal_zone")) {
    std::string type = tree.line(folder + name + "/type");  // "cpu0-thermal", "TCPU"
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (type == "x86_pkg_temp" || type.find("cpu") != std::string::npos) {
      keep_highest(tree, folder + name + "/temp", highest);
    }
  }
  return highest;
}

}  // namespace

std::optional<uint64_t> read_current_clock(const SystemTree &tree) {
  const auto clock = clock_of_cpuinfo(tree);
  return clock ? clock : clock_of_policies(tree);
}

std::optional<double> read_temperature(const SystemTree &tree) {
  const auto degrees = hottest_of_monitors(tree);
  return degrees ? degrees : hottest_of_zones(tree);
}

// ---- Activity ---------------------------------------------------------

namespace {

// A tick is 10 ms or less: shorter than this, and the difference says little.
constexpr std::chrono::milliseconds kShortest{30};

#if defined(__APPLE__)

void read_ticks(const SystemTree &, ActivitySample &out) {
  host_cpu_load_info_data_t load{};
  mach_msg_type_number_t count = HOST_CPU_LOAD_INFO_COUNT;
  const mach_port_t host = mach_host_self();
  if (host_statistics(host, HOST_CPU_LOAD_INFO, reinterpret_cast<host_info_t>(&load), &count) ==
      KERN_SUCCESS) {
    out.idle_ticks = load.cpu_ticks[CPU_STATE_IDLE];
    out.busy_ticks = uint64_t{load.cpu_ticks[CPU_STATE_USER]} + load.cpu_ticks[CPU_STATE_SYSTEM] +
                     load.cpu_ticks[CPU_STATE_NICE];
  }
  mach_port_deallocate(mach_task_self(), host);
}

#else

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; the guests' time is part
// of user and nice.
void read_ticks(const SystemTree &tree, ActivitySample &out) {
  const std::vector<std::string> words = nexus_plugin::split(tree.line("/proc/stat"), ' ');
  if (words.empty() || words[0] != "cpu") return;
  constexpr std::size_t kIdle = 4, kWaiting = 5, kCounted = 8;
  uint64_t busy = 0, idle = 0;
  for (std::size_t i = 1; i < words.size() && i <= kCounted; ++i) {
    const auto ticks = parse_number(words[i]);
    if (!ticks) return;
    (i == kIdle || i == kWaiting ? idle : busy) += *ticks;
  }
  out.busy_ticks = busy;
  out.idle_ticks = idle;
}

#endif

// Reads each socket's own zone; those within it count parts of it, and "psys" the whole machine.
std::vector<EnergyCounter> read_energy(const SystemTree &tree) {
  const std::string folder = "/sys/class/powercap/";
  std::vector<EnergyCounter> counters;
  for (const std::string &name : tree.names(folder, "intel-rapl:")) {
    if (!tree.line(folder + name + "/name").starts_with("package-")) continue;
    const auto energy = tree.number(folder + name + "/energy_uj");
    const auto range = tree.number(folder + name + "/max_energy_range_uj");
    if (!energy || !range || *energy > *range) return {};
    counters.push_back({*energy, *range});
  }
  return counters;
}

}  // namespace

ActivitySample take_activity_sample(const SystemTree &tree) {
  ActivitySample out;
  read_ticks(tree, out);
  out.energy = read_energy(tree);
  out.time = steady_clock::now();
  return out;
}

std::optional<uint64_t> utilization_between(const ActivitySample &before,
                                            const ActivitySample &after) {
  // Time spent waiting for devices is known to go back at times.
  const auto grown = [](uint64_t from, uint64_t to) {
    return to > from ? static_cast<double>(to - from) : 0.0;
  };
  const double busy = grown(before.busy_ticks, after.busy_ticks);
  const double all = busy + grown(before.idle_ticks, after.idle_ticks);
  if (all <= 0) return std::nullopt;
  return static_cast<uint64_t>(100 * busy / all + 0.5);
}

std::optional<double> power_between(const ActivitySample &before, const ActivitySample &after) {
  const double seconds = std::chrono::duration<double>(after.time - before.time).count();
  if (after.energy.empty() || after.energy.size() != before.energy.size() || seconds <= 0) {
    return std::nullopt;
  }
  double joules = 0;
  for (std::size_t i = 0; i < after.energy.size(); ++i) {
    const uint64_t from = before.energy[i].microjoules;
    const uint64_t to = after.energy[i].microjoules;
    const uint64_t grown = to >= from ? to - from : before.energy[i].range - from + to;
    joules += static_cast<double>(grown) / 1e6;
  }
  return joules / seconds;
}

void ActivityMeter::take_sample() {
  if (after_ && steady_clock::now() - after_->time < kShortest) return;
  if (!after_) {
    after_ = take_activity_sample(tree_);
    std::this_thread::sleep_for(kShortest);
  }
  before_ = std::exchange(after_, take_activity_sample(tree_));
}

}  // namespace nexus_cpu
