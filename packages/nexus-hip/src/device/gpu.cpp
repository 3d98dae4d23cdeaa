// SPDX-License-Identifier: Apache-2.0
// Functions of Gpu that need more than one call of HIP.
#include "device/device.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <new>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::gpu::KnownMemory;
using nexus_plugin::gpu::MemoryPlace;

hipError_t Gpu::uuid(std::string *out, int device) {
  hipUUID told{};
  if (const hipError_t result = hip.DeviceGetUuid(&told, device); result != hipSuccess) {
    return result;
  }
  *out = std::string(told.bytes, sizeof(told.bytes));
  const bool digits = std::all_of(out->begin(), out->end(),
                                  [](unsigned char each) { return std::isxdigit(each) != 0; });
  return digits ? hipSuccess : hipErrorNotSupported;
}

bool Gpu::uses_pools(const Device &device) noexcept {
  return hip.pools && device.has_memory_pools();
}

hipError_t Gpu::call_host(hipStream_t stream, void (*function)(void *), void *given) noexcept {
  struct Call {
    void (*function)(void *);
    void *given;
  };
  std::unique_ptr<Call> call(new (std::nothrow) Call{function, given});
  if (call == nullptr) return hipErrorOutOfMemory;
  const auto reached = [](hipStream_t, hipError_t, void *user) {
    const std::unique_ptr<Call> now(static_cast<Call *>(user));
    now->function(now->given);
  };
  const hipError_t result = hip.StreamAddCallback(stream, reached, call.get(), 0);
  if (result == hipSuccess) (void)call.release();
  return result;
}

hipError_t Gpu::is_of(hipStream_t stream, Device &device, bool *out) {
  if (hip.StreamGetDevice == nullptr) {
    throw Error(NXS_NotSupported, "HIP ", runtime_version_text(),
                " does not report the device of a stream, unlike ROCm 5.6 and later; install a "
                "newer ROCm, or make the stream with Nexus");
  }
  hipDevice_t of = -1;
  const hipError_t result = hip.StreamGetDevice(stream, &of);
  *out = result == hipSuccess && of == device.ordinal();
  return result;
}

Device *Gpu::device(int ordinal) {
  const auto index = static_cast<std::size_t>(ordinal);
  return index < all_devices.size() ? all_devices[index] : nullptr;
}

hipError_t Gpu::enable_access(Device &other) {
  return hip.DeviceEnablePeerAccess(other.ordinal(), 0);
}

// HIP writes zeros for memory that it does not know.
KnownMemory Gpu::look_up(Device &device, Address address) {
  constexpr const char *kAsking = "reading the attributes of an address";
  hipMemoryType type{};
  bool managed = false;
  void *begin = nullptr, *on_device = nullptr;
  KnownMemory known;
  hipPointer_attribute asked[] = {
      HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,      HIP_POINTER_ATTRIBUTE_IS_MANAGED,
      HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,
      HIP_POINTER_ATTRIBUTE_HOST_POINTER,     HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *told[] = {&type, &managed, &begin, &on_device, &known.host_address, &known.ordinal};
  device.check(hip.DrvPointerGetAttributes(std::size(asked), asked, told, pointer(address)),
               kAsking);
  known.known = begin != nullptr;
  if (!known.known) return known;
  const hipMemoryType host = is_hip_6() ? hipMemoryTypeHost : 0;
  known.place = managed        ? MemoryPlace::kManaged
                : type == host ? MemoryPlace::kHost
                               : MemoryPlace::kDevice;
  // The attribute for the size has only 32 bits.
  size_t size = 0;
  device.check(hip.MemGetAddressRange(&begin, &size, pointer(address)), kAsking);
  known.begin = reinterpret_cast<uintptr_t>(begin);
  known.size = size;
  known.device_address = reinterpret_cast<uintptr_t>(on_device);
  return known;
}

}  // namespace nexus_hip
