// SPDX-License-Identifier: Apache-2.0
// Reads values of a device from NVML. Functions return nothing if NVML can't be used, or does not
// know the device or the value. Any thread may call them.
#ifndef NEXUS_CUDA_SENSORS_HPP_
#define NEXUS_CUDA_SENSORS_HPP_

#include "device/device.hpp"
#include "driver/nvml.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// NVML's handles; NULL if NVML does not know the device.
struct NvmlDevice {
  nvmlDevice_t own = nullptr;  // of the device, which may be a MIG instance
  nvmlDevice_t gpu = nullptr;  // of the whole GPU, which has the sensors
};

// Returns a reference that stays valid as long as the process.
const NvmlDevice &nvml_device_of(const Device &device);

// Returns a text such as "0000:65:00.0", for a MIG instance its GPU's address; empty if the driver
// does not report it.
std::string pci_address_of(const Device &device);

// Returns a number that an NVML function reports for the GPU.
template <auto Function, auto... Arguments>
std::optional<uint64_t> sensor(const Device &device) {
  return ask_nvml<unsigned>(nvml().*Function, nvml_device_of(device).gpu, Arguments...);
}

// Bytes. used is without memory that the driver reserves, unless NVML is older than version 510.
struct MemoryUse {
  uint64_t total, free, used;
};
std::optional<MemoryUse> memory_use(const Device &device);

std::optional<double> temperature(const Device &device);  // degrees Celsius

// The range of the power limit in milliwatts.
struct PowerRange {
  unsigned least = 0, most = 0;
};
std::optional<PowerRange> power_range(const Device &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SENSORS_HPP_
