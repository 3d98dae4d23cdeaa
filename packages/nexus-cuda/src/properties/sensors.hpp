// SPDX-License-Identifier: Apache-2.0
// A device as NVML knows it. Each value is asked for anew; nothing where NVML is not there, does
// not know the device, or does not know the value of it. Any thread may ask.
#ifndef NEXUS_CUDA_SENSORS_HPP_
#define NEXUS_CUDA_SENSORS_HPP_

#include "device/device.hpp"
#include "driver/nvml.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Handles that are NULL where NVML does not know them.
struct NvmlDevice {
  nvmlDevice_t own = nullptr;  // the device: a GPU, or an instance of one
  nvmlDevice_t gpu = nullptr;  // has the sensors; the same where the GPU is not divided
};

// Found when first asked for; lives as long as the process.
const NvmlDevice &nvml_device_of(const Device &device);

// "0000:65:00.0"; a MIG instance has its GPU's. Empty where the driver does not tell it.
std::string pci_address_of(const Device &device);

// A number that NVML tells of the GPU.
template <auto Function, auto... Question>
std::optional<uint64_t> sensor(const Device &device) {
  return ask_nvml<unsigned>(nvml().*Function, nvml_device_of(device).gpu, Question...);
}

// Bytes. used is without what the driver keeps for itself, where NVML tells that apart.
struct MemoryUse {
  uint64_t total, free, used;
};
std::optional<MemoryUse> memory_use(const Device &device);

std::optional<double> temperature(const Device &device);  // degrees Celsius

// Milliwatts: the least and the most that the limit of power can be.
struct PowerRange {
  unsigned least = 0, most = 0;
};
std::optional<PowerRange> power_range(const Device &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SENSORS_HPP_
