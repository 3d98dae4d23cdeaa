// SPDX-License-Identifier: Apache-2.0
// Current values of a device, from the files of the kernel's driver amdgpu in /sys. They have fixed
// units and need no library, but only Linux has them.
#ifndef NEXUS_HIP_SENSORS_HPP_
#define NEXUS_HIP_SENSORS_HPP_

#include "device/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

// Returns a text such as "0000:65:00.0"; empty if HIP does not report it.
std::string pci_address_of(const Device &device);

// Reads the number in a file of the GPU's PCI device, such as "gpu_busy_percent". Returns nothing
// if there is no such file. Any thread may call it.
std::optional<int64_t> sensor(const Device &device, const char *file);
// The same for a file of the GPU's hardware monitor, such as "temp1_input".
std::optional<int64_t> monitor(const Device &device, const char *file);
// Returns the errors of memory since the driver was loaded. label: "ce:" for corrected ones, "ue:".
std::optional<int64_t> memory_errors(const Device &device, std::string_view label);

}  // namespace nexus_hip

#endif  // NEXUS_HIP_SENSORS_HPP_
