// SPDX-License-Identifier: Apache-2.0
// Values that change while a device runs, from NVML.
#ifndef NEXUS_CUDA_SENSORS_HPP_
#define NEXUS_CUDA_SENSORS_HPP_

#include "device/device.hpp"
#include "driver/nvml.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Bytes. used is without what the driver keeps for itself, where NVML tells that apart.
struct MemoryUse {
  uint64_t total, free, used;
};

// One device in NVML. Each value is asked for anew, and nothing where NVML is not there, does not
// know the device, or does not know the value of it. Any thread may ask.
class Sensors {
 public:
  explicit Sensors(const Device &device);

  // The GPU, which has the sensors; NULL where NVML does not know it.
  nvmlDevice_t gpu() const noexcept { return gpu_; }

  std::optional<MemoryUse> memory() const;
  std::optional<uint64_t> memory_free() const;
  std::optional<uint64_t> memory_used() const;
  std::optional<uint64_t> memory_used_percent() const;

  // Percents of the last moments in which kernels ran, and in which the memory was used.
  std::optional<uint64_t> core_utilization() const;
  std::optional<uint64_t> memory_bus_utilization() const;

  std::optional<double> temperature() const;      // degrees Celsius
  std::optional<double> max_temperature() const;  // from which on the device slows down
  std::optional<double> min_power() const;        // W: the least and the most that the limit can be
  std::optional<double> max_power() const;
  // Memory errors since the driver was loaded.
  std::optional<uint64_t> corrected_errors() const;
  std::optional<uint64_t> uncorrected_errors() const;

  // 1 where the device is an instance of a GPU that is divided, 0 where it is a whole one.
  std::optional<uint64_t> mig_mode() const;
  std::optional<unsigned> pci_numbers() const;  // the device's above 16 bits of the vendor's

 private:
  std::optional<uint64_t> errors(nvmlMemoryErrorType_t type) const;

  // The device: a GPU, or an instance of one.
  nvmlDevice_t own_ = nullptr;
  // The same where it is not divided.
  nvmlDevice_t gpu_ = nullptr;
};

// Found when first asked for; lives as long as the process.
const Sensors &sensors_of(const Device &device);

// Of the driver's, such as "570.86.10", which is not CUDA's version. Nothing without NVML.
std::optional<std::string> driver_release();

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SENSORS_HPP_
