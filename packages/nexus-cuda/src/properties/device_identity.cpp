// SPDX-License-Identifier: Apache-2.0
#include "properties/device_identity.hpp"

#include "properties/device_attributes.hpp"
#include "properties/sensors.hpp"

#include <cstdio>

namespace nexus_cuda NXS_HIDDEN {

std::string uuid_of(const Device &device) {
  CUuuid uuid{};
  if (cu.DeviceGetUuid(&uuid, device.handle()) != CUDA_SUCCESS) return {};
  return uuid_text(uuid);
}

std::string uuid_text(const CUuuid &uuid) {
  return nexus_plugin::hexadecimal({uuid.bytes, sizeof(uuid.bytes)});
}

std::string dashed_uuid(const std::string &uuid) {
  std::string text = uuid;
  if (text.empty()) return text;
  for (const std::size_t place : {20U, 16U, 12U, 8U}) text.insert(place, 1, '-');
  return text;
}

std::string pci_address_of(const Device &device) {
  const auto domain = device.attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  const auto bus = device.attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  const auto slot = device.attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  if (!domain || !bus || !slot) return {};
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.0", static_cast<unsigned>(*domain),
                static_cast<unsigned>(*bus), static_cast<unsigned>(*slot));
  return text;
}

std::optional<PciNumbers> pci_numbers_of(const Device &device) {
  // Drivers before CUDA 12.8 do not know the attribute.
  const auto told = device.attribute(CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID).value_or(0);
  const unsigned both =
      told != 0 ? static_cast<unsigned>(told) : sensors_of(device).pci_numbers().value_or(0);
  if (both == 0) return {};
  return PciNumbers{static_cast<int>(both & 0xffffU), static_cast<int>(both >> 16U)};
}

}  // namespace nexus_cuda
