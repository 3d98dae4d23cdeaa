// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 with GPUs whose values are fixed. It is compiled with OLD_NVML for a library
// that lacks what came with CUDA 12.
//
// FAKE_NVML: words, separated by blanks:
//   gpus=N     how many there are (1)
//   mig=N      all are divided, into N instances each; the fake driver's devices are those
//   refuse=F   the function F answers that it is not supported
//   init=N     what nvmlInit_v2 returns
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6;
constexpr int kMost = 8;

}  // namespace

struct nvmlDevice_st {
  int gpu;
  int instance;  // -1: the GPU itself
};
using Device = nvmlDevice_st *;

namespace {

std::string words() {
  const char *text = std::getenv("FAKE_NVML");
  return std::string(" ") + (text == nullptr ? "" : text) + " ";
}

int number(const char *key, int otherwise) {
  const std::string all = words();
  const std::size_t place = all.find(std::string(" ") + key + "=");
  return place == std::string::npos ? otherwise
                                    : std::atoi(all.c_str() + place + std::strlen(key) + 2);
}

bool refused(const char *function) {
  return words().find(std::string(" refuse=") + function + " ") != std::string::npos;
}

int instances() {
  return number("mig", 0);
}

bool divided() {
  return words().find(" mig=") != std::string::npos;
}

Device device_of(int gpu, int instance) {
  static nvmlDevice_st devices[kMost][kMost + 1];
  nvmlDevice_st &device = devices[gpu][instance + 1];
  device = {gpu, instance};
  return &device;
}

// The fake driver's devices are the GPUs, or the first instance of each. So one of them has its
// UUID, and the GPUs that are divided have another.
std::string uuid(int gpu, int instance) {
  const bool is_the_drivers = divided() ? instance == 0 : instance < 0;
  char text[80];
  int length = std::snprintf(text, sizeof(text), instance < 0 ? "GPU-" : "MIG-");
  for (int i = 0; i < 16; ++i) {
    const bool dash = i == 4 || i == 6 || i == 8 || i == 10;
    const int byte = is_the_drivers ? 16 * gpu + i : 0xf0 - gpu - 16 * instance;
    length += std::snprintf(text + length, sizeof(text) - static_cast<size_t>(length), "%s%02x",
                            dash ? "-" : "", static_cast<unsigned>(byte & 0xff));
  }
  return text;
}

int give(const char *function, Device device, unsigned value, unsigned *out) {
  if (refused(function)) return kNotSupported;
  if (device->instance >= 0) return kInvalidArgument;  // of the GPU, not of an instance
  *out = value;
  return kSuccess;
}

}  // namespace

EXPORT int nvmlInit_v2() {
  return number("init", kSuccess);
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned length) {
  std::snprintf(version, length, "550.54.15");
  return kSuccess;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = static_cast<unsigned>(number("gpus", 1));
  return kSuccess;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device *device) {
  *device = device_of(static_cast<int>(index), -1);
  return kSuccess;
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *wanted, Device *device) {
  if (refused("DeviceGetHandleByUUID")) return kNotSupported;
  for (int gpu = 0; gpu < number("gpus", 1); ++gpu) {
    for (int instance = -1; instance < instances(); ++instance) {
      if (uuid(gpu, instance) != wanted) continue;
      *device = device_of(gpu, instance);
      return kSuccess;
    }
  }
  return kNotFound;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *address, Device *device) {
  for (int gpu = 0; gpu < number("gpus", 1); ++gpu) {
    char own[32];
    std::snprintf(own, sizeof(own), "0002:%02X:1F.0", static_cast<unsigned>(0x65 + gpu));
    if (std::strcmp(own, address) != 0) continue;
    *device = device_of(gpu, -1);
    return kSuccess;
  }
  return kNotFound;
}

EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device instance, Device *device) {
  *device = device_of(instance->gpu, -1);
  return kSuccess;
}

EXPORT int nvmlDeviceGetName(Device, char *name, unsigned length) {
  std::snprintf(name, length, "Fake GPU 9000");
  return kSuccess;
}

EXPORT int nvmlDeviceGetUUID(Device device, char *text, unsigned length) {
  std::snprintf(text, length, "%s", uuid(device->gpu, device->instance).c_str());
  return kSuccess;
}

EXPORT int nvmlDeviceGetPciInfo_v3(Device device, void *info) {
  if (refused("DeviceGetPciInfo_v3")) return kNotSupported;
  std::memset(info, 0, 68);
  const unsigned numbers = 0x233010deU + static_cast<unsigned>(device->gpu);
  std::memcpy(static_cast<char *>(info) + 28, &numbers, sizeof(numbers));
  return kSuccess;
}

EXPORT int nvmlDeviceGetMigMode(Device device, unsigned *now, unsigned *pending) {
  *pending = 0;
  return give("DeviceGetMigMode", device, divided() ? 1 : 0, now);
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(Device, unsigned *count) {
  *count = 7;
  return kSuccess;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device *instance) {
  if (static_cast<int>(index) >= instances()) return kNotFound;
  *instance = device_of(device->gpu, static_cast<int>(index));
  return kSuccess;
}

// An instance has a seventh of the memory.
EXPORT int nvmlDeviceGetMemoryInfo(Device device, unsigned long long *memory) {
  if (refused("DeviceGetMemoryInfo")) return kNotSupported;
  const unsigned long long part = device->instance < 0 ? 7 : 1;
  memory[0] = 1000 * part;
  memory[1] = 600 * part;
  memory[2] = 400 * part;
  return kSuccess;
}

EXPORT int nvmlDeviceGetUtilizationRates(Device device, unsigned *percents) {
  if (refused("DeviceGetUtilizationRates") || divided()) return kNotSupported;
  percents[1] = 12;
  return give("DeviceGetUtilizationRates", device, 34, percents);
}

EXPORT int nvmlDeviceGetTotalEccErrors(Device device, int type, int counter,
                                       unsigned long long *errors) {
  if (refused("DeviceGetTotalEccErrors") || device->instance >= 0) return kNotSupported;
  if (counter != 0) return kInvalidArgument;
  *errors = type == 0 ? 5 : 0;
  return kSuccess;
}

EXPORT int nvmlDeviceGetClockInfo(Device device, int type, unsigned *clock) {
  return give("DeviceGetClockInfo", device, type == 1 ? 1755 : type == 2 ? 2619 : 1, clock);
}

EXPORT int nvmlDeviceGetPowerUsage(Device device, unsigned *power) {
  return give("DeviceGetPowerUsage", device, 123456, power);
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned *limit) {
  return give("DeviceGetEnforcedPowerLimit", device, 650000, limit);
}

EXPORT int nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned *least,
                                                        unsigned *most) {
  *most = 700000;
  return give("DeviceGetPowerManagementLimitConstraints", device, 200000, least);
}

EXPORT int nvmlDeviceGetTemperature(Device device, int sensor, unsigned *degrees) {
  return sensor == 0 ? give("DeviceGetTemperature", device, 41, degrees) : kInvalidArgument;
}

EXPORT int nvmlDeviceGetTemperatureThreshold(Device device, int which, unsigned *degrees) {
  return which == 3 ? give("DeviceGetTemperatureThreshold", device, 87, degrees) : kInvalidArgument;
}

EXPORT int nvmlDeviceGetFanSpeed(Device device, unsigned *percent) {
  return give("DeviceGetFanSpeed", device, 30, percent);
}

EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned *generation) {
  return give("DeviceGetMaxPcieLinkGeneration", device, 5, generation);
}

EXPORT int nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned *lanes) {
  return give("DeviceGetMaxPcieLinkWidth", device, 16, lanes);
}

EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned *generation) {
  return give("DeviceGetCurrPcieLinkGeneration", device, 1, generation);
}

EXPORT int nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned *lanes) {
  return give("DeviceGetCurrPcieLinkWidth", device, 8, lanes);
}

#ifndef OLD_NVML

struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};

EXPORT int nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2 *memory) {
  if (refused("DeviceGetMemoryInfo_v2")) return kNotSupported;
  if (memory->version != (sizeof(MemoryV2) | 2U << 24)) return kInvalidArgument;
  const unsigned long long part = device->instance < 0 ? 7 : 1;
  *memory = {memory->version, 1000 * part, 100 * part, 600 * part, 300 * part};
  return kSuccess;
}

struct Temperature {
  unsigned version;
  int sensor;
  int degrees;
};

EXPORT int nvmlDeviceGetTemperatureV(Device device, Temperature *temperature) {
  if (refused("DeviceGetTemperatureV") || device->instance >= 0) return kNotSupported;
  if (temperature->version != (sizeof(Temperature) | 1U << 24)) return kInvalidArgument;
  temperature->degrees = 42;
  return kSuccess;
}

#endif
