// SPDX-License-Identifier: Apache-2.0
#include "properties/sensors.hpp"

#include <filesystem>
#include <fstream>

namespace nexus_hip NXS_HIDDEN {
namespace {

std::filesystem::path folder_of(const Device &device) {
  return system_path("/sys/bus/pci/devices/" + pci_address_of(device));
}

std::optional<int64_t> read_number(const std::filesystem::path &path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string pci_address_of(const Device &device) {
  char text[32] = "";
  const hipError_t result = hip.DeviceGetPCIBusId(text, sizeof(text), device.ordinal());
  return result == hipSuccess ? text : "";
}

std::optional<int64_t> sensor(const Device &device, const char *file) {
  return read_number(folder_of(device) / file);
}

std::optional<int64_t> monitor(const Device &device, const char *file) {
  std::error_code failed;  // no hardware monitor
  for (const auto &folder :
       std::filesystem::directory_iterator(folder_of(device) / "hwmon", failed)) {
    return read_number(folder.path() / file);
  }
  return {};
}

std::optional<int64_t> memory_errors(const Device &device, std::string_view label) {
  std::ifstream file(folder_of(device) / "ras/umc_err_count");
  std::string found;
  int64_t number = 0;
  while (file >> found >> number) {
    if (found == label) return number;
  }
  return {};
}

}  // namespace nexus_hip
