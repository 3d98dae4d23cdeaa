// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

#include <utility>

namespace nexus_hip NXS_HIDDEN {
namespace {

// Returns a text such as "gfx90a:sramecc+:xnack-". Reads the struct's layout of this runtime.
std::string target_id_of(int device) {
  const auto read = [&](const auto &ask, auto properties) {
    errors.check(ask(&properties, device), "asking a GPU for its architecture");
    const std::string_view name(properties.gcnArchName, sizeof(properties.gcnArchName));
    if (name.front() != '\0') return std::string(name.substr(0, name.find('\0')));
    throw Error(NXS_DeviceNotAvailable,
                "the HIP runtime does not report the architecture of the GPU ", device,
                "; install a newer ROCm");
  };
  if (hip.GetDevicePropertiesR0600 != nullptr) {
    return read(hip.GetDevicePropertiesR0600, hipDeviceProp_tR0600{});
  }
  if (hip.GetDevicePropertiesR0000 != nullptr) {
    return read(hip.GetDevicePropertiesR0000, hipDeviceProp_tR0000{});
  }
  return read(hip.GetDeviceProperties, hipDeviceProp_tR0000{});
}

// Returns the architecture if ROCm does not know the product.
std::string name_of(int device, const std::string &target_id) {
  char name[256] = "";
  errors.check(hip.DeviceGetName(name, sizeof(name), device), "asking a GPU for its name");
  return *name != '\0' ? name : target_id.substr(0, target_id.find(':'));
}

}  // namespace

constinit HandleTable<Device, NXS_ObjectType_Device> devices;
std::vector<Device *> all_devices;

Device::Device(int ordinal) : Device(ordinal, target_id_of(ordinal)) {}

Device::Device(int ordinal, std::string target_id)
    : DeviceBase(ordinal, ordinal, name_of(ordinal, target_id)), target_id_(std::move(target_id)) {
  size_t bytes = 0;
  errors.check(hip.DeviceTotalMem(&bytes, ordinal), "asking a GPU for its memory");
  memory_size_ = bytes;
  std::string uuid;
  shares_memory_ = Gpu::uuid(&uuid, ordinal) == hipSuccess;
}

CurrentDevice::CurrentDevice(const Device &device) {
  int now = -1;
  if (hip.GetDevice(&now) == hipSuccess && now == device.ordinal()) return;
  device.check(hip.SetDevice(device.ordinal()), "making a device current");
  before_ = now;
}

}  // namespace nexus_hip
