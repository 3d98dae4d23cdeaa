// SPDX-License-Identifier: Apache-2.0
#include "system/sensors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// "cpu MHz : 3500.123", in whole MHz.
std::optional<uint64_t> clock_line(std::string_view line) {
  const auto value = value_of(line, "cpu MHz");
  if (!value) return std::nullopt;
  return parse_number(value->substr(0, value->find('.')));
}

// x86 writes each processor's clock there. Without the counters it is the nominal one, and no
// clock of now.
std::optional<uint64_t> clock_of_cpuinfo(const SystemTree &tree) {
  bool measured = false;
  uint64_t highest = 0;
  for_each_line(tree.text("/proc/cpuinfo"), [&](std::string_view line) {
    if (const auto flags = value_of(line, "flags")) {
      measured = measured || flags->find("aperfmperf") != std::string_view::npos;
    }
    highest = std::max(highest, clock_line(line).value_or(0));
    return true;
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

// Thousandths of a degree. Nothing for 0, which a sensor says that is off, and for what no
// processor has.
std::optional<double> read_degrees(const SystemTree &tree, const std::string &path) {
  const std::string line = tree.line(path);
  int64_t value = 0;
  const char *end = line.data() + line.size();
  const auto [stop, problem] = std::from_chars(line.data(), end, value);
  constexpr int64_t kLowest = -100000, kHighest = 250000;
  if (problem != std::errc() || stop != end) return std::nullopt;
  if (value == 0 || value < kLowest || value > kHighest) return std::nullopt;
  return static_cast<double>(value) / 1000;
}

void keep_highest(std::optional<double> &highest, std::optional<double> one) {
  if (one && (!highest || *one > *highest)) highest = one;
}

// Of AMD's sensors Tctl may stand above the temperature, to steer the fan.
bool is_control_value(const SystemTree &tree, const std::string &sensor) {
  return tree.line(sensor + "_label") == "Tctl";
}

std::optional<double> hottest_of_monitor(const SystemTree &tree, const std::string &folder) {
  std::optional<double> measured, control;
  for (const std::string &name : tree.names(folder, "temp")) {
    constexpr std::string_view kInput = "_input";
    if (!name.ends_with(kInput)) continue;
    const std::string sensor = folder + "/" + name.substr(0, name.size() - kInput.size());
    const auto degrees = read_degrees(tree, sensor + "_input");
    keep_highest(is_control_value(tree, sensor) ? control : measured, degrees);
  }
  return measured ? measured : control;
}

std::optional<double> hottest_of_monitors(const SystemTree &tree) {
  constexpr std::array kProcessorMonitors = {"coretemp", "k10temp", "zenpower", "cpu_thermal",
                                             "cpu-thermal"};
  const std::string folder = "/sys/class/hwmon";
  std::optional<double> highest;
  for (const std::string &name : tree.names(folder, "hwmon")) {
    const std::string monitor = folder + "/" + name;
    const std::string kind = tree.line(monitor + "/name");
    if (std::find(kProcessorMonitors.begin(), kProcessorMonitors.end(), kind) !=
        kProcessorMonitors.end()) {
      keep_highest(highest, hottest_of_monitor(tree, monitor));
    }
  }
  return highest;
}

// "cpu-thermal", "cpu0-thermal", "TCPU", "x86_pkg_temp".
bool is_processor_zone(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type == "x86_pkg_temp" || type.find("cpu") != std::string::npos;
}

std::optional<double> hottest_of_zones(const SystemTree &tree) {
  const std::string folder = "/sys/class/thermal";
  std::optional<double> highest;
  for (const std::string &name : tree.names(folder, "thermal_zone")) {
    const std::string zone = folder + "/" + name;
    if (!is_processor_zone(tree.line(zone + "/type"))) continue;
    keep_highest(highest, read_degrees(tree, zone + "/temp"));
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

}  // namespace nexus_cpu
