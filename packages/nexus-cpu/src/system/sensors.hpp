// SPDX-License-Identifier: Apache-2.0
// Values that change while the machine runs and need one measurement.
#ifndef NEXUS_CPU_SENSORS_HPP_
#define NEXUS_CPU_SENSORS_HPP_

#include "system/system_tree.hpp"

#include <cstdint>
#include <optional>

namespace nexus_cpu NXS_HIDDEN {

// MHz of the fastest core; nothing where the system does not measure it, as in most virtual
// machines.
std::optional<uint64_t> read_current_clock(const SystemTree &tree);

// Degrees Celsius of the hottest of the processor's sensors.
std::optional<double> read_temperature(const SystemTree &tree);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SENSORS_HPP_
