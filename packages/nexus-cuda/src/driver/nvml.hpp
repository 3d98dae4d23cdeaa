// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, which knows what a GPU does at the moment. It does not look at
// CUDA_VISIBLE_DEVICES.
#ifndef NEXUS_CUDA_NVML_HPP_
#define NEXUS_CUDA_NVML_HPP_

#include <nexus-api/nxs.h>
#include <optional>

namespace nexus_cuda NXS_HIDDEN {

// ---- Our own declarations, so that no toolkit is needed; the names are NVML's ----

using nvmlDevice_t = struct nvmlDevice_st *;

using nvmlReturn_t = int;
enum : nvmlReturn_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_NOT_SUPPORTED = 3,
};

enum : unsigned { NVML_DEVICE_MIG_ENABLE = 1 };

using nvmlClockType_t = int;
enum : nvmlClockType_t { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };

using nvmlTemperatureSensors_t = int;
enum : nvmlTemperatureSensors_t { NVML_TEMPERATURE_GPU = 0 };
using nvmlTemperatureThresholds_t = int;
enum : nvmlTemperatureThresholds_t { NVML_TEMPERATURE_THRESHOLD_GPU_MAX = 3 };

using nvmlMemoryErrorType_t = int;
enum : nvmlMemoryErrorType_t {
  NVML_MEMORY_ERROR_TYPE_CORRECTED = 0,
  NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1,
};
using nvmlEccCounterType_t = int;
enum : nvmlEccCounterType_t { NVML_VOLATILE_ECC = 0 };  // since the driver was loaded

// A struct with a version says which it is: its size, and the version in the highest byte.
template <class Struct>
constexpr unsigned nvml_struct_version(unsigned version) {
  return static_cast<unsigned>(sizeof(Struct)) | (version << 24U);
}

// Bytes. used holds what the driver keeps for itself.
struct nvmlMemory_t {
  unsigned long long total, free, used;
};

// Bytes. What the driver keeps for itself is in reserved.
struct nvmlMemory_v2_t {
  unsigned version = nvml_struct_version<nvmlMemory_v2_t>(2);
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};

struct nvmlTemperature_t {
  unsigned version = nvml_struct_version<nvmlTemperature_t>(1);
  nvmlTemperatureSensors_t sensorType = NVML_TEMPERATURE_GPU;
  int temperature = 0;  // degrees Celsius
};

// Percents of the time over the last moments.
struct nvmlUtilization_t {
  unsigned gpu, memory;
};

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device;
  unsigned pciDeviceId;  // the device's number above 16 bits of the vendor's
  unsigned pciSubSystemId;
  char busId[32];
};

// ---- The library ---------------------------------------------------------

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
