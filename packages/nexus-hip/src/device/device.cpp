// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

namespace nexus_hip NXS_HIDDEN {
namespace {

// "gfx90a:sramecc+:xnack-", from whichever layout of the struct this runtime fills.
std::string target_id_of(int device) {
  const auto read = [&](const auto &ask, auto properties) {
    errors.check(ask(&properties, device), "asking a GPU for its architecture");
    const std::string_view name(properties.gcnArchName, sizeof(properties.gcnArchName));
    return std::string(name.substr(0, name.find('\0')));
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

Device::Device(int ordinal) : ordinal_(ordinal) {
  char name[256] = "";
  errors.check(hip.DeviceGetName(name, sizeof(name), ordinal), "asking a GPU for its name");
  name_ = name;
  target_id_ = target_id_of(ordinal);
  if (target_id_.empty()) {
    throw Error(NXS_DeviceNotAvailable, "the HIP runtime does not tell the architecture of '",
                name_, "'; install a newer ROCm");
  }
  if (name_.empty()) name_ = architecture();  // of GPUs that ROCm knows no product of
  size_t bytes = 0;
  errors.check(hip.DeviceTotalMem(&bytes, ordinal), "asking a GPU for its memory");
  memory_size_ = bytes;
  const auto number = [&](hipDeviceAttribute_t of, uint64_t otherwise) {
    const int told = attribute(of).value_or(0);
    return told > 0 ? static_cast<uint64_t>(told) : otherwise;
  };
  max_group_items_ = number(hipDeviceAttributeMaxThreadsPerBlock, 1);
  max_group_size_ = {number(hipDeviceAttributeMaxBlockDimX, 1),
                     number(hipDeviceAttributeMaxBlockDimY, 1),
                     number(hipDeviceAttributeMaxBlockDimZ, 1)};
  max_group_count_ = {number(hipDeviceAttributeMaxGridDimX, 1),
                      number(hipDeviceAttributeMaxGridDimY, 1),
                      number(hipDeviceAttributeMaxGridDimZ, 1)};
  shared_memory_ = number(hipDeviceAttributeMaxSharedMemoryPerBlock, 0);
  wave_size_ = number(hipDeviceAttributeWarpSize, 64);
  // Where two units work as one, HIP's multiprocessors are such pairs.
  compute_units_ = number(hipDeviceAttributePhysicalMultiProcessorCount,
                          number(hipDeviceAttributeMultiprocessorCount, 1));
  const auto has = [&](hipDeviceAttribute_t what) { return number(what, 0) != 0; };
  has_managed_memory_ = has(hipDeviceAttributeManagedMemory);
  has_memory_pools_ = has(hipDeviceAttributeMemoryPoolsSupported);
  has_stream_priorities_ = has(hipDeviceAttributeStreamPrioritiesSupported);
  has_cooperative_launch_ =
      has(hipDeviceAttributeCooperativeLaunch) && hip.ModuleLaunchCooperativeKernel != nullptr;
}

std::optional<int> Device::attribute(hipDeviceAttribute_t attribute) const {
  int value = 0;
  const hipError_t result = hip.DeviceGetAttribute(&value, attribute, ordinal_);
  if (result == hipErrorInvalidValue || result == hipErrorNotSupported) return {};
  check(result, "asking a GPU for an attribute");
  return value;
}

FailurePtr Device::failure_of(hipError_t result, std::string_view what) const noexcept {
  return lost_.failure_of(errors.is_fatal(result), [&] {
    return errors.make(result, join(what, " on the device '", name_, "'"));
  });
}

void Device::refuse(hipError_t result, std::string_view what) const {
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
