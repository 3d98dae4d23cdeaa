// SPDX-License-Identifier: Apache-2.0
#include "properties/sensors.hpp"

#include "properties/device_identity.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <mutex>

namespace nexus_cuda NXS_HIDDEN {
namespace {

nvmlDevice_t find_by_uuid(const std::string &uuid) {
  nvmlDevice_t found = nullptr;
  const auto find = nvml().DeviceGetHandleByUUID;
  return find != nullptr && find(uuid.c_str(), &found) == NVML_SUCCESS ? found : nullptr;
}

nvmlDevice_t find_by_pci(std::string address) {
  nvmlDevice_t found = nullptr;
  // As NVML itself writes it.
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  const auto find = nvml().DeviceGetHandleByPciBusId_v2;
  return find != nullptr && find(address.c_str(), &found) == NVML_SUCCESS ? found : nullptr;
}

std::optional<double> in_watts(std::optional<unsigned> milliwatts) {
  return milliwatts ? std::optional(*milliwatts / 1000.0) : std::nullopt;
}

// The least and the most that the limit of power can be, in mW.
struct PowerRange {
  unsigned least = 0, most = 0;
};

std::optional<PowerRange> power_range(nvmlDevice_t gpu) {
  PowerRange range;
  const auto ask = nvml().DeviceGetPowerManagementLimitConstraints;
  if (ask == nullptr || gpu == nullptr) return {};
  if (ask(gpu, &range.least, &range.most) != NVML_SUCCESS) return {};
  return range;
}

}  // namespace

Sensors::Sensors(const Device &device) {
  const std::string uuid = dashed_uuid(uuid_of(device));
  if (!uuid.empty()) own_ = gpu_ = find_by_uuid("GPU-" + uuid);
  if (own_ != nullptr) return;
  if (!uuid.empty()) own_ = find_by_uuid("MIG-" + uuid);
  gpu_ = ask_nvml<nvmlDevice_t>(nvml().DeviceGetDeviceHandleFromMigDeviceHandle, own_)
             .value_or(nullptr);
  if (gpu_ == nullptr) gpu_ = find_by_pci(pci_address_of(device));
  // Of an instance that NVML does not show, nothing is known but what its GPU tells.
  if (own_ == nullptr && !is_divided(gpu_).value_or(false)) own_ = gpu_;
}

std::optional<MemoryUse> Sensors::memory() const {
  if (const auto told = ask_nvml<nvmlMemory_v2_t>(nvml().DeviceGetMemoryInfo_v2, own_)) {
    return MemoryUse{told->total, told->free, told->used};
  }
  const auto told = ask_nvml<nvmlMemory_t>(nvml().DeviceGetMemoryInfo, own_);
  return told ? std::optional(MemoryUse{told->total, told->free, told->used}) : std::nullopt;
}

std::optional<uint64_t> Sensors::memory_free() const {
  const auto told = memory();
  return told ? std::optional(told->free) : std::nullopt;
}

std::optional<uint64_t> Sensors::memory_used() const {
  const auto told = memory();
  return told ? std::optional(told->used) : std::nullopt;
}

std::optional<uint64_t> Sensors::memory_used_percent() const {
  const auto told = memory();
  if (!told || told->total == 0) return {};
  return static_cast<uint64_t>(100.0 * static_cast<double>(told->used) /
                               static_cast<double>(told->total));
}

std::optional<uint64_t> Sensors::core_utilization() const {
  const auto told = ask_nvml<nvmlUtilization_t>(nvml().DeviceGetUtilizationRates, own_);
  return told ? std::optional<uint64_t>(told->gpu) : std::nullopt;
}

std::optional<uint64_t> Sensors::memory_bus_utilization() const {
  const auto told = ask_nvml<nvmlUtilization_t>(nvml().DeviceGetUtilizationRates, own_);
  return told ? std::optional<uint64_t>(told->memory) : std::nullopt;
}

std::optional<double> Sensors::temperature() const {
  if (const auto told = ask_nvml<nvmlTemperature_t>(nvml().DeviceGetTemperatureV, gpu_)) {
    return told->temperature;
  }
  return ask_nvml<unsigned>(nvml().DeviceGetTemperature, gpu_, NVML_TEMPERATURE_GPU);
}

std::optional<double> Sensors::max_temperature() const {
  return ask_nvml<unsigned>(nvml().DeviceGetTemperatureThreshold, gpu_,
                            NVML_TEMPERATURE_THRESHOLD_GPU_MAX);
}

std::optional<double> Sensors::min_power() const {
  const auto range = power_range(gpu_);
  return range ? in_watts(range->least) : std::nullopt;
}

std::optional<double> Sensors::max_power() const {
  const auto range = power_range(gpu_);
  return range ? in_watts(range->most) : std::nullopt;
}

std::optional<uint64_t> Sensors::errors(nvmlMemoryErrorType_t type) const {
  return ask_nvml<unsigned long long>(nvml().DeviceGetTotalEccErrors, gpu_, type,
                                      NVML_VOLATILE_ECC);
}

std::optional<uint64_t> Sensors::corrected_errors() const {
  return errors(NVML_MEMORY_ERROR_TYPE_CORRECTED);
}

std::optional<uint64_t> Sensors::uncorrected_errors() const {
  return errors(NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
}

std::optional<uint64_t> Sensors::mig_mode() const {
  const auto divided = is_divided(gpu_);
  return divided ? std::optional<uint64_t>(*divided ? 1 : 0) : std::nullopt;
}

std::optional<unsigned> Sensors::pci_numbers() const {
  const auto told = ask_nvml<nvmlPciInfo_t>(nvml().DeviceGetPciInfo_v3, gpu_);
  return told ? std::optional(told->pciDeviceId) : std::nullopt;
}

const Sensors &sensors_of(const Device &device) {
  static std::mutex mutex;
  // Never destroyed: other threads may ask while the process ends.
  static auto &found = *new std::map<int, std::unique_ptr<const Sensors>>();
  const std::lock_guard lock(mutex);
  auto &sensors = found[device.ordinal()];
  if (sensors == nullptr) sensors = std::make_unique<const Sensors>(device);
  return *sensors;
}

std::optional<std::string> driver_release() {
  char text[80] = "";
  const auto ask = nvml().SystemGetDriverVersion;
  if (ask == nullptr || ask(text, sizeof(text)) != NVML_SUCCESS || *text == '\0') return {};
  return text;
}

}  // namespace nexus_cuda
