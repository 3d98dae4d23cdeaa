// SPDX-License-Identifier: Apache-2.0
#include "system/activity.hpp"

#include <algorithm>
#include <array>
#include <thread>
#if defined(__APPLE__)
#include <mach/mach.h>
#endif

namespace nexus_cpu NXS_HIDDEN {
namespace {

using std::chrono::steady_clock;

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
  const std::string line = tree.line("/proc/stat");
  std::string_view rest = line;
  if (!rest.starts_with("cpu ")) return;
  rest.remove_prefix(4);
  constexpr std::size_t kIdle = 3, kWaiting = 4, kCounted = 8;
  uint64_t busy = 0, idle = 0;
  for (std::size_t i = 0; i < kCounted && !(rest = trimmed(rest)).empty(); ++i) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto ticks = parse_number(rest.substr(0, end));
    if (!ticks) return;
    (i == kIdle || i == kWaiting ? idle : busy) += *ticks;
    rest.remove_prefix(end);
  }
  out.busy_ticks = busy;
  out.idle_ticks = idle;
}

#endif

// Each socket's own zone; those within it count parts of it, and "psys" the whole machine.
std::vector<EnergyCounter> read_energy(const SystemTree &tree) {
  const std::string folder = "/sys/class/powercap";
  std::vector<EnergyCounter> counters;
  for (const std::string &name : tree.names(folder, "intel-rapl:")) {
    const std::string zone = folder + "/" + name;
    if (!tree.line(zone + "/name").starts_with("package-")) continue;
    const auto energy = tree.number(zone + "/energy_uj");
    const auto range = tree.number(zone + "/max_energy_range_uj");
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

void ActivityMeter::look() {
  if (after_ && steady_clock::now() - after_->time < kShortest) return;
  if (!after_) {
    after_ = take_activity_sample(tree_);
    std::this_thread::sleep_for(kShortest);
  }
  ActivitySample now = take_activity_sample(tree_);
  before_ = std::move(after_);
  after_ = std::move(now);
}

std::optional<uint64_t> ActivityMeter::core_utilization() {
  const std::lock_guard lock(mutex_);
  look();
  return before_ ? utilization_between(*before_, *after_) : std::nullopt;
}

std::optional<double> ActivityMeter::power_draw() {
  const std::lock_guard lock(mutex_);
  look();
  return before_ ? power_between(*before_, *after_) : std::nullopt;
}

}  // namespace nexus_cpu
