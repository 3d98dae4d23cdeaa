// SPDX-License-Identifier: Apache-2.0
#include "properties/sensors.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <mutex>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// find: a function of NVML; may be NULL.
nvmlDevice_t find_by(nvmlReturn_t (*find)(const char *, nvmlDevice_t *), const std::string &name) {
  nvmlDevice_t found = nullptr;
  return find != nullptr && find(name.c_str(), &found) == NVML_SUCCESS ? found : nullptr;
}

NvmlDevice find_device(const Device &device) {
  NvmlDevice found;
  const std::string uuid = Gpu::shown_uuid(device.uuid());
  const auto by_uuid = nvml().DeviceGetHandleByUUID;
  if (!uuid.empty()) found.own = found.gpu = find_by(by_uuid, "GPU-" + uuid);
  if (found.own != nullptr) return found;
  if (!uuid.empty()) found.own = find_by(by_uuid, "MIG-" + uuid);
  found.gpu = ask_nvml<nvmlDevice_t>(nvml().DeviceGetDeviceHandleFromMigDeviceHandle, found.own)
                  .value_or(nullptr);
  if (found.gpu == nullptr) {
    std::string address = pci_address_of(device);  // NVML writes it in capitals
    std::transform(address.begin(), address.end(), address.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    found.gpu = find_by(nvml().DeviceGetHandleByPciBusId_v2, address);
  }
  // A divided GPU is not the device: the device is an instance that NVML does not list.
  if (found.own == nullptr && !is_divided(found.gpu).value_or(false)) found.own = found.gpu;
  return found;
}

}  // namespace

const NvmlDevice &nvml_device_of(const Device &device) {
  static std::mutex mutex;
  // Never destroyed, since other threads may use it while the process ends.
  static auto &known = *new std::map<int, NvmlDevice>();
  const std::lock_guard lock(mutex);
  const auto found = known.find(device.ordinal());
  if (found != known.end()) return found->second;
  return known.emplace(device.ordinal(), find_device(device)).first->second;
}

std::string pci_address_of(const Device &device) {
  constexpr CUdevice_attribute kDomain = 50, kBus = 33, kDevice = 34;
  const auto domain = device.attribute(kDomain);
  const auto bus = device.attribute(kBus), slot = device.attribute(kDevice);
  if (!domain || !bus || !slot) return {};
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.0", static_cast<unsigned>(*domain),
                static_cast<unsigned>(*bus), static_cast<unsigned>(*slot));
  return text;
}

std::optional<MemoryUse> memory_use(const Device &device) {
  const nvmlDevice_t own = nvml_device_of(device).own;
  if (const auto told = ask_nvml<nvmlMemory_v2_t>(nvml().DeviceGetMemoryInfo_v2, own)) {
    return MemoryUse{told->total, told->free, told->used};
  }
  const auto told = ask_nvml<nvmlMemory_t>(nvml().DeviceGetMemoryInfo, own);
  return told ? std::optional(MemoryUse{told->total, told->free, told->used}) : std::nullopt;
}

std::optional<double> temperature(const Device &device) {
  const nvmlDevice_t gpu = nvml_device_of(device).gpu;
  if (const auto told = ask_nvml<nvmlTemperature_t>(nvml().DeviceGetTemperatureV, gpu)) {
    return told->temperature;
  }
  return ask_nvml<unsigned>(nvml().DeviceGetTemperature, gpu, NVML_TEMPERATURE_GPU);
}

std::optional<PowerRange> power_range(const Device &device) {
  const nvmlDevice_t gpu = nvml_device_of(device).gpu;
  const auto ask = nvml().DeviceGetPowerManagementLimitConstraints;
  PowerRange range;
  if (ask == nullptr || gpu == nullptr) return {};
  if (ask(gpu, &range.least, &range.most) != NVML_SUCCESS) return {};
  return range;
}

}  // namespace nexus_cuda
