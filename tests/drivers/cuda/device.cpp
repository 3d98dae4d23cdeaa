// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include "call.hpp"

#include <cstdio>
#include <cstring>

namespace simulated_cuda {
namespace {

constexpr size_t kPoisoned = size_t{1} << 20;
constexpr int kGarbage = 0xa5;

}  // namespace

Device::Device(int ordinal, int number, const Settings &settings)
    : ordinal_(ordinal),
      number_(number),
      name_(settings.name),
      architecture_(settings.architecture),
      memory_(settings.memory),
      poison_(settings.poison),
      attributes_(attributes_of(number, settings.architecture)),
      addresses_(settings.memory) {
  if (!settings.pools) attributes_[kMemoryPools] = 0;
  if (!settings.managed) attributes_[kManagedMemory] = 0;
  for (const auto &[attribute, value] : settings.attributes) attributes_[attribute] = value;
}

CUuuid Device::uuid() const {
  CUuuid uuid{};
  std::memcpy(uuid.bytes, uuid_of(number_).data(), sizeof(uuid.bytes));
  return uuid;
}

std::string Device::pci_bus_id() const {
  char text[32];
  std::snprintf(
      text, sizeof(text), "%04X:%02X:%02X.0", static_cast<unsigned>(attribute(kPciDomain)),
      static_cast<unsigned>(attribute(kPciBus)), static_cast<unsigned>(attribute(kPciDevice)));
  return text;
}

int Device::attribute(int number) const {
  const auto found = attributes_.find(number);
  require(found != attributes_.end());
  return found->second;
}

void Device::take(uint64_t bytes) {
  require(bytes <= memory_ - used_, CUDA_ERROR_OUT_OF_MEMORY);
  used_ += bytes;
}

uintptr_t Device::place(size_t size) {
  const uintptr_t begin = addresses_.allocate(size);
  require(begin != 0, CUDA_ERROR_OUT_OF_MEMORY);
  if (poison_ && size <= kPoisoned) {
    std::memset(reinterpret_cast<void *>(begin), kGarbage, size);
  }
  return begin;
}

Device &device_of(CUdevice ordinal) {
  const auto &devices = world().devices;
  require(ordinal >= 0 && static_cast<size_t>(ordinal) < devices.size(), CUDA_ERROR_INVALID_DEVICE);
  return *devices[static_cast<size_t>(ordinal)];
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuDeviceGetCount(int *out_count) {
  return call("cuDeviceGetCount", Needs::kInit,
              [&](Call &) { give(out_count, static_cast<int>(world().devices.size())); });
}

SIMULATED_EXPORT CUresult cuDeviceGet(CUdevice *out_device, int ordinal) {
  return call("cuDeviceGet", Needs::kInit,
              [&](Call &) { give(out_device, device_of(ordinal).ordinal()); });
}

SIMULATED_EXPORT CUresult cuDeviceGetName(char *out_name, int capacity, CUdevice device) {
  return call("cuDeviceGetName", Needs::kInit, [&](Call &) {
    const Device &asked = device_of(device);
    require(out_name != nullptr && capacity > 0);
    std::snprintf(out_name, static_cast<size_t>(capacity), "%s", asked.name().c_str());
  });
}

SIMULATED_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *out_uuid, CUdevice device) {
  return call("cuDeviceGetUuid", Needs::kInit,
              [&](Call &) { give(out_uuid, device_of(device).uuid()); });
}

SIMULATED_EXPORT CUresult cuDeviceGetUuid(CUuuid *out_uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(out_uuid, device);
}

SIMULATED_EXPORT CUresult cuDeviceTotalMem_v2(size_t *out_bytes, CUdevice device) {
  return call("cuDeviceTotalMem", Needs::kInit,
              [&](Call &) { give(out_bytes, static_cast<size_t>(device_of(device).memory())); });
}

SIMULATED_EXPORT CUresult cuDeviceGetAttribute(int *out_value, int attribute, CUdevice device) {
  return call("cuDeviceGetAttribute", Needs::kInit,
              [&](Call &) { give(out_value, device_of(device).attribute(attribute)); });
}

SIMULATED_EXPORT CUresult cuDeviceComputeCapability(int *out_major, int *out_minor,
                                                    CUdevice device) {
  return call("cuDeviceComputeCapability", Needs::kInit, [&](Call &) {
    give(out_major, device_of(device).attribute(kComputeMajor));
    give(out_minor, device_of(device).attribute(kComputeMinor));
  });
}

SIMULATED_EXPORT CUresult cuDeviceGetPCIBusId(char *out_id, int capacity, CUdevice device) {
  return call("cuDeviceGetPCIBusId", Needs::kInit, [&](Call &) {
    const std::string id = device_of(device).pci_bus_id();
    require(out_id != nullptr && capacity > static_cast<int>(id.size()));
    std::memcpy(out_id, id.c_str(), id.size() + 1);
  });
}

SIMULATED_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *out_device, const char *id) {
  return call("cuDeviceGetByPCIBusId", Needs::kInit, [&](Call &) {
    require(id != nullptr);
    for (const auto &each : world().devices) {
      const std::string full = each->pci_bus_id();
      const std::string no_domain = full.substr(5);
      for (const std::string &form : {full, full.substr(0, full.size() - 2), no_domain}) {
        if (form == id) return give(out_device, each->ordinal());
      }
    }
    fail(CUDA_ERROR_INVALID_DEVICE);
  });
}
