// SPDX-License-Identifier: Apache-2.0
// The properties of a device that are objects and lists: JSON texts in the form of device files.
#ifndef NEXUS_CUDA_DEVICE_JSON_HPP_
#define NEXUS_CUDA_DEVICE_JSON_HPP_

#include "device/device.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

std::string core_json(const Device &device);
std::string memory_json(const Device &device);
std::string limits_json(const Device &device);
std::string kernel_model_json(const Device &device);
std::string extensions_json(const Device &device);

// Empty where NVML does not tell any of it.
std::string pci_express_json(const Device &device);
std::string power_json(const Device &device);

// The most bytes of all arguments of a kernel.
int max_argument_size(const Device &device);

// The most warps on one multiprocessor.
std::optional<int64_t> max_subgroups_per_core(const Device &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_JSON_HPP_
