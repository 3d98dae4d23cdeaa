// SPDX-License-Identifier: Apache-2.0
// By what a device is told from every other, by CUDA, NVML and the system.
#ifndef NEXUS_CUDA_DEVICE_IDENTITY_HPP_
#define NEXUS_CUDA_DEVICE_IDENTITY_HPP_

#include "device/device.hpp"

#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// 32 hexadecimal digits; of a MIG instance its own. Empty where the driver does not tell it.
std::string uuid_of(const Device &device);
std::string uuid_text(const CUuuid &uuid);

// The same as NVML and nvidia-smi write it, after their "GPU-" or "MIG-":
// "8932f937-d72c-4106-c12f-20bd9faed9f6". Empty where there is none.
std::string dashed_uuid(const std::string &uuid);

// "0000:65:00.0"; a MIG instance has its GPU's. Empty where the driver does not tell it.
std::string pci_address_of(const Device &device);

struct PciNumbers {
  int vendor, device;
};
std::optional<PciNumbers> pci_numbers_of(const Device &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_IDENTITY_HPP_
