// SPDX-License-Identifier: Apache-2.0
// Values that need two measurements: how busy the processors are, and how much power
// they draw.
#ifndef NEXUS_CPU_ACTIVITY_HPP_
#define NEXUS_CPU_ACTIVITY_HPP_

#include "system/system_tree.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The energy that a socket has taken since some time; it begins again at 0 after range.
struct EnergyCounter {
  uint64_t microjoules = 0, range = 0;
};

// One look at the counters.
struct ActivitySample {
  std::chrono::steady_clock::time_point time;
  // Of all processors together, in the system's ticks.
  uint64_t busy_ticks = 0, idle_ticks = 0;
  std::vector<EnergyCounter> energy;  // of each socket; empty where it may not be read
};

ActivitySample take_activity_sample(const SystemTree &tree);

// In percent, rounded; nothing where no tick is between the two.
std::optional<uint64_t> utilization_between(const ActivitySample &before,
                                            const ActivitySample &after);
// In watts.
std::optional<double> power_between(const ActivitySample &before, const ActivitySample &after);

// Any thread may ask. An answer is of the time since the asking before; the first one is of a short
// time in which the caller waits, 30 ms at the most. Askings that are closer together than that get
// the same answer.
class ActivityMeter {
 public:
  explicit ActivityMeter(SystemTree tree) : tree_(std::move(tree)) {}

  std::optional<uint64_t> core_utilization();
  std::optional<double> power_draw();

 private:
  void look();  // with the mutex held

  SystemTree tree_;
  std::mutex mutex_;
  std::optional<ActivitySample> before_, after_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_ACTIVITY_HPP_
