// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

namespace nexus_hip NXS_HIDDEN {
namespace {

// Returns a text such as "gfx90a:sramecc+:xnack-". Reads the struct's layout of this runtime.
std::string target_id_of(int device) {
  const auto read = [&](const auto &ask, auto properties) {
    errors.check(ask(&properties, device), "asking a GPU for its architecture");
    const std::string_view name(properties.gcnArchName, sizeof(properties.gcnArchName));
    if (name.front() != '\0') return std::string(name.substr(0, name.find('\0')));
    throw Error(NXS_DeviceNotAvailable,
                "the HIP runtime does not tell the architecture of the GPU ", device,
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

}  // namespace

constinit HandleTable<Device, NXS_ObjectType_Device> devices;

Device::Device(int ordinal) : ordinal_(ordinal), target_id_(target_id_of(ordinal)) {
  char name[256] = "";
  errors.check(hip.DeviceGetName(name, sizeof(name), ordinal), "asking a GPU for its name");
  name_ = name;
  if (name_.empty()) name_ = architecture();  // ROCm does not know the product
  size_t bytes = 0;
  errors.check(hip.DeviceTotalMem(&bytes, ordinal), "asking a GPU for its memory");
  memory_size_ = bytes;
}

std::optional<int> Device::attribute(hipDeviceAttribute_t attribute) const {
  int value = 0;
  const hipError_t result = hip.DeviceGetAttribute(&value, attribute, ordinal_);
  if (result == hipErrorInvalidValue || result == hipErrorNotSupported) return {};
  check(result, "asking a GPU for an attribute");
  return value;
}

uint64_t Device::number(hipDeviceAttribute_t which, uint64_t otherwise) const {
  const int value = attribute(which).value_or(0);
  return value > 0 ? static_cast<uint64_t>(value) : otherwise;
}

FailurePtr Device::failure_of(hipError_t result, std::string_view what) const noexcept {
  return lost_.failure_of(errors.is_fatal(result), [&] {
    return errors.make(result, join(what, " on the device '", name_, "'"));
  });
}

void Device::fail(hipError_t result, std::string_view what) const {
  if (errors.is_fatal(result)) throw nexus_plugin::Failed(failure_of(result, what));
  throw errors.make(result, what);
}

CurrentDevice::CurrentDevice(const Device &device) {
  int now = -1;
  if (hip.GetDevice(&now) == hipSuccess && now == device.ordinal()) return;
  device.check(hip.SetDevice(device.ordinal()), "making a device current");
  before_ = now;
}

}  // namespace nexus_hip
