// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, which knows what a GPU does at the moment. It does not look at
// CUDA_VISIBLE_DEVICES.
#ifndef NEXUS_CUDA_NVML_HPP_
#define NEXUS_CUDA_NVML_HPP_

#include "driver/nvml_types.hpp"

#include <optional>

namespace nexus_cuda NXS_HIDDEN {

// NVML's functions by their names without "nvml"; NULL where the library lacks one.
struct NvmlFunctions {
#define NVML_FUNCTION(name, parameters) nvmlReturn_t(*name) parameters = nullptr;
#include "driver/nvml_functions.def"
};

// Opened and started by the first call, for the life of the process. Where that can't be done, all
// functions are NULL and the log says why, once. Any thread may call them.
const NvmlFunctions &nvml();

// The result of a function for a device; nothing where there is no such function or device, or
// where it does not know.
template <class Answer, class... Question, class... Words>
std::optional<Answer> ask_nvml(nvmlReturn_t (*function)(nvmlDevice_t, Question...),
                               nvmlDevice_t device, Words... words) {
  Answer answer{};
  if (function == nullptr || device == nullptr) return {};
  if (function(device, words..., &answer) != NVML_SUCCESS) return {};
  return answer;
}

// Returns whether a GPU is divided by MIG; nothing where NVML does not know.
std::optional<bool> is_divided(nvmlDevice_t gpu);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVML_HPP_
