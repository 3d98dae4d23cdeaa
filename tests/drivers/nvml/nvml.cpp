// SPDX-License-Identifier: Apache-2.0
//
// The part of NVIDIA's management library that tells what a GPU does, for the devices of the
// simulated driver. Names and numbers are those of the "NVML API Reference Guide".
// NEXUS_SIMULATED_CUDA describes the machine, as for the driver; NEXUS_SIMULATED_NVML_FAIL
// ("name:result,...") makes functions fail.
#include "../cuda/driver.hpp"
#include "../kernels/planned_failure.hpp"
#include "../simulator/settings.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

using simulator::Settings;

enum nvmlReturn_t : int32_t {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
};

struct nvmlDevice_st {
  unsigned index;
};
using nvmlDevice_t = nvmlDevice_st *;

struct nvmlMemory_t {
  unsigned long long total, free, used;
};
struct nvmlMemory_v2_t {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct nvmlUtilization_t {
  unsigned gpu, memory;
};
struct nvmlPciInfo_t {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

namespace {

constexpr unsigned kMostDevices = 16;
constexpr unsigned long long kReserved = 512ull << 20;

std::atomic<bool> started{false};

const Settings &settings() {
  static const Settings *const read = new Settings(Settings::from_environment());
  return *read;
}

// On demand.
nvmlReturn_t planned_failure(const char *name) {
  return static_cast<nvmlReturn_t>(
      simulated_kernels::planned_failure("NEXUS_SIMULATED_NVML_FAIL", name));
}

nvmlDevice_t device_at(unsigned index) {
  static auto *const all = [] {
    auto *made = new std::array<nvmlDevice_st, kMostDevices>;
    for (unsigned i = 0; i < kMostDevices; ++i) (*made)[i].index = i;
    return made;
  }();
  return index < static_cast<unsigned>(settings().devices) ? &(*all)[index] : nullptr;
}

std::string uuid_of(unsigned index) {
  return "GPU-" + simulator::uuid_text(static_cast<int>(index));
}

unsigned bus_of(unsigned index) {
  const auto attributes =
      simulator::attributes_of(static_cast<int>(index), settings().architecture);
  return static_cast<unsigned>(attributes.at(simulator::kPciBus));
}

std::string pci_of(unsigned index, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%0*X:%02X:00.0", digits, 0u, bus_of(index));
  return text;
}

template <class Body>
nvmlReturn_t call(const char *name, Body &&body) {
  if (const nvmlReturn_t planned = planned_failure(name); planned != NVML_SUCCESS) return planned;
  return !started ? NVML_ERROR_UNINITIALIZED : body();
}

// For an existing device.
template <class T>
nvmlReturn_t tell(const char *name, nvmlDevice_t device, T *out, const T &value) {
  return call(name, [&] {
    if (device == nullptr || out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *out = value;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t tell_text(const char *name, char *out, unsigned length, const std::string &text) {
  return call(name, [&] {
    if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (length <= text.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return NVML_SUCCESS;
  });
}

template <class Matches>
nvmlReturn_t find(const char *name, nvmlDevice_t *out, Matches &&matches) {
  return call(name, [&] {
    if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; device_at(i) != nullptr; ++i) {
      if (!matches(i)) continue;
      *out = device_at(i);
      return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
  });
}

}  // namespace

SIMULATED_EXPORT nvmlReturn_t nvmlInit_v2() {
  const nvmlReturn_t planned = planned_failure("nvmlInit_v2");
  if (planned == NVML_SUCCESS) started = true;
  return planned;
}

SIMULATED_EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned length) {
  return tell_text("nvmlSystemGetDriverVersion", out, length, "580.0.0");
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *out) {
  return tell("nvmlDeviceGetCount_v2", device_at(0), out,
              static_cast<unsigned>(settings().devices));
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *out) {
  return find("nvmlDeviceGetHandleByIndex_v2", out, [&](unsigned each) { return each == index; });
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *out) {
  return find("nvmlDeviceGetHandleByUUID", out,
              [&](unsigned each) { return uuid != nullptr && uuid_of(each) == uuid; });
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *out) {
  return find("nvmlDeviceGetHandleByPciBusId_v2", out, [&](unsigned each) {
    return id != nullptr && (pci_of(each, 8) == id || pci_of(each, 4) == id);
  });
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *out, unsigned length) {
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return tell_text("nvmlDeviceGetName", out, length, "Simulated GPU");
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *out, unsigned length) {
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return tell_text("nvmlDeviceGetUUID", out, length, uuid_of(device->index));
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *out) {
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  nvmlPciInfo_t info{};
  info.bus = bus_of(device->index);
  std::snprintf(info.busIdLegacy, sizeof(info.busIdLegacy), "%s", pci_of(device->index, 4).c_str());
  std::snprintf(info.busId, sizeof(info.busId), "%s", pci_of(device->index, 8).c_str());
  return tell("nvmlDeviceGetPciInfo_v3", device, out, info);
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *out) {
  const unsigned long long total = settings().memory;
  return tell("nvmlDeviceGetMemoryInfo", device, out, {total, total - kReserved, kReserved});
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device,
                                                         nvmlMemory_v2_t *out) {
  constexpr unsigned kVersion = sizeof(nvmlMemory_v2_t) | 2u << 24;
  if (out == nullptr || out->version != kVersion) return NVML_ERROR_INVALID_ARGUMENT;
  const unsigned long long total = settings().memory;
  return tell("nvmlDeviceGetMemoryInfo_v2", device, out,
              {kVersion, total, kReserved, total - kReserved, 0});
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device,
                                                            nvmlUtilization_t *out) {
  return tell("nvmlDeviceGetUtilizationRates", device, out, {37, 12});
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor,
                                                       unsigned *out) {
  if (sensor != 0) return NVML_ERROR_INVALID_ARGUMENT;  // NVML_TEMPERATURE_GPU
  return tell("nvmlDeviceGetTemperature", device, out, 41u);
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, int which,
                                                                unsigned *out) {
  constexpr std::array<unsigned, 4> kDegrees = {95, 90, 105, 87};
  if (which < 0 || static_cast<size_t>(which) >= kDegrees.size()) return NVML_ERROR_NOT_SUPPORTED;
  return tell("nvmlDeviceGetTemperatureThreshold", device, out,
              kDegrees[static_cast<size_t>(which)]);
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned *out) {
  constexpr std::array<unsigned, 4> kMegahertz = {1755, 1755, 3201, 1545};  // graphics, SM, memory
  if (type < 0 || static_cast<size_t>(type) >= kMegahertz.size()) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  return tell("nvmlDeviceGetClockInfo", device, out, kMegahertz[static_cast<size_t>(type)]);
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device,
                                                                           unsigned *out_least,
                                                                           unsigned *out_most) {
  const nvmlReturn_t result =
      tell("nvmlDeviceGetPowerManagementLimitConstraints", device, out_least, 200000u);
  if (result != NVML_SUCCESS) return result;
  return tell("nvmlDeviceGetPowerManagementLimitConstraints", device, out_most, 700000u);
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t, unsigned *) {
  return call("nvmlDeviceGetFanSpeed", [] { return NVML_ERROR_NOT_SUPPORTED; });
}

SIMULATED_EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, int, int,
                                                          unsigned long long *out) {
  return tell("nvmlDeviceGetTotalEccErrors", device, out, 0ull);
}

// Numbers of a device that are always the same: power in mW, and PCI Express.
#define SIMULATED_NUMBER(name, number)                                           \
  SIMULATED_EXPORT nvmlReturn_t nvml##name(nvmlDevice_t device, unsigned *out) { \
    return tell("nvml" #name, device, out, unsigned{number});                    \
  }
SIMULATED_NUMBER(DeviceGetPowerUsage, 123456)
SIMULATED_NUMBER(DeviceGetEnforcedPowerLimit, 700000)
SIMULATED_NUMBER(DeviceGetMaxPcieLinkGeneration, 5)
SIMULATED_NUMBER(DeviceGetCurrPcieLinkGeneration, 5)
SIMULATED_NUMBER(DeviceGetMaxPcieLinkWidth, 16)
SIMULATED_NUMBER(DeviceGetCurrPcieLinkWidth, 16)
