// SPDX-License-Identifier: Apache-2.0 The current load of the machine, and this process's limits by
// control groups.
#ifndef NEXUS_CPU_USAGE_HPP_
#define NEXUS_CPU_USAGE_HPP_

#include "system/system_tree.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The limits that control groups (cgroups, version 1 and 2) set for this process; empty if there
// is none. A limit holds for the groups inside, so the smallest counts. The first is in processors'
// worth of time, the second in bytes.
std::optional<double> processor_time_limit(const SystemTree &tree);
std::optional<uint64_t> memory_limit(const SystemTree &tree);

// Returns processor_time_limit() rounded up; 0 if there is no limit.
unsigned container_limit(const SystemTree &tree);

// The main memory, in bytes. Empty or 0: not known.
struct MemoryState {
  uint64_t total = 0;
  std::optional<uint64_t> free;  // what programs can allocate without swapping

  std::optional<uint64_t> used() const;
  std::optional<uint64_t> used_percent() const;  // rounded
};

MemoryState read_memory(const SystemTree &tree);

// Returns the MHz of the fastest core; nothing if the system does not measure it, as in most
// virtual machines.
std::optional<uint64_t> read_current_clock(const SystemTree &tree);

// Returns the degrees Celsius of the hottest of the processor's sensors.
std::optional<double> read_temperature(const SystemTree &tree);

// The energy that a socket has taken since some time; it begins again at 0 after range.
struct EnergyCounter {
  uint64_t microjoules = 0, range = 0;
};

// One reading of the counters.
struct ActivitySample {
  std::chrono::steady_clock::time_point time;
  uint64_t busy_ticks = 0, idle_ticks = 0;  // of all processors together
  std::vector<EnergyCounter> energy;        // of each socket; empty if it may not be read
};

ActivitySample take_activity_sample(const SystemTree &tree);

// Returns percent, rounded; nothing if no tick is between the two.
std::optional<uint64_t> utilization_between(const ActivitySample &before,
                                            const ActivitySample &after);
// Returns watts.
std::optional<double> power_between(const ActivitySample &before, const ActivitySample &after);

// Measures between two calls; the first call waits 30 ms. Calls that are closer together than that
// get the same answer. Thread-safe.
class ActivityMeter {
 public:
  explicit ActivityMeter(SystemTree tree) : tree_(std::move(tree)) {}

  std::optional<uint64_t> core_utilization() { return measure(utilization_between); }
  std::optional<double> power_draw() { return measure(power_between); }

 private:
  void take_sample();  // with the mutex held

  template <class Value>
  std::optional<Value> measure(std::optional<Value> (*between)(const ActivitySample &,
                                                               const ActivitySample &)) {
    const std::lock_guard lock(mutex_);
    take_sample();
    return before_ ? between(*before_, *after_) : std::nullopt;
  }

  SystemTree tree_;
  std::mutex mutex_;
  std::optional<ActivitySample> before_, after_;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_USAGE_HPP_
