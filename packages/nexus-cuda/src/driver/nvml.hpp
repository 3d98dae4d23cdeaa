// SPDX-License-Identifier: Apache-2.0
// NVML, NVIDIA's management library: power, clocks, temperature and memory use of GPUs. It ignores
// CUDA_VISIBLE_DEVICES.
#ifndef NEXUS_CUDA_NVML_HPP_
#define NEXUS_CUDA_NVML_HPP_

#include <nexus-api/nxs.h>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// ---- NVML's types, declared here so that no toolkit is needed to build ----

using nvmlDevice_t = struct nvmlDevice_st *;

using nvmlReturn_t = int;
enum : nvmlReturn_t { NVML_SUCCESS = 0, NVML_ERROR_NOT_SUPPORTED = 3 };

enum : unsigned { NVML_DEVICE_MIG_ENABLE = 1 };
enum nvmlClockType_t : int { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };
enum nvmlTemperatureSensors_t : int { NVML_TEMPERATURE_GPU = 0 };
enum nvmlTemperatureThresholds_t : int { NVML_TEMPERATURE_THRESHOLD_GPU_MAX = 3 };
enum nvmlEccCounterType_t : int { NVML_VOLATILE_ECC = 0 };  // since the driver was loaded
enum nvmlMemoryErrorType_t : int {
  NVML_MEMORY_ERROR_TYPE_CORRECTED = 0,
  NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1,
};

// Returns the version field of a struct: its size, and the version in the highest byte.
template <class Struct>
constexpr unsigned nvml_struct_version(unsigned version) {
  return static_cast<unsigned>(sizeof(Struct)) | (version << 24U);
}

// Bytes. used includes what the driver reserves.
struct nvmlMemory_t {
  unsigned long long total, free, used;
};

// Bytes.
struct nvmlMemory_v2_t {
  unsigned version = nvml_struct_version<nvmlMemory_v2_t>(2);
  unsigned long long total = 0, reserved = 0, free = 0, used = 0;
};

struct nvmlTemperature_t {
  unsigned version = nvml_struct_version<nvmlTemperature_t>(1);
  nvmlTemperatureSensors_t sensorType = NVML_TEMPERATURE_GPU;
  int temperature = 0;  // degrees Celsius
};

// Percent of the last sample period, of at most a second.
struct nvmlUtilization_t {
  unsigned gpu, memory;
};

struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device;
  unsigned pciDeviceId;  // high 16 bits: the device's number; low: the vendor's
  unsigned pciSubSystemId;
  char busId[32];
};

// ---- The library ---------------------------------------------------------

// NVML's functions by their names without "nvml"; NULL if the library does not have one.
struct NvmlFunctions {
#define NVML_FUNCTION(name, parameters) nvmlReturn_t(*name) parameters = nullptr;
#include "driver/nvml_functions.def"
};

// Returns NVML's functions, after the first call opened and initialized it. If that failed, all are
// NULL, and the log says why once. Any thread may call this and them.
const NvmlFunctions &nvml();

// Returns what function(device, arguments..., &result) wrote to its result; nothing if it failed,
// or if function or device is NULL.
template <class Result, class... Parameters, class... Arguments>
std::optional<Result> ask_nvml(nvmlReturn_t (*function)(nvmlDevice_t, Parameters...),
                               nvmlDevice_t device, Arguments... arguments) {
  Result result{};
  if (function == nullptr || device == nullptr) return {};
  if (function(device, arguments..., &result) != NVML_SUCCESS) return {};
  return result;
}

// Returns whether a GPU is divided by MIG; nothing if NVML does not know.
std::optional<bool> is_divided(nvmlDevice_t gpu);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVML_HPP_
