// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Device, NXS_ObjectType_Device> devices;
std::vector<nxs_id> all_devices;

namespace {

CUdevice find_gpu(int ordinal) {
  CUdevice found = 0;
  errors.check(cu.DeviceGet(&found, ordinal), "finding a GPU");
  return found;
}

std::string name_of(CUdevice device) {
  char name[256] = "";
  errors.check(cu.DeviceGetName(name, sizeof(name), device), "asking a GPU for its name");
  return name;
}

}  // namespace

Device::Device(int ordinal) : Device(ordinal, find_gpu(ordinal)) {}

Device::Device(int ordinal, CUdevice handle) : DeviceBase(ordinal, handle, name_of(handle)) {
  size_t bytes = 0;
  errors.check(cu.DeviceTotalMem(&bytes, handle), "asking a GPU for its memory");
  memory_size_ = bytes;
}

std::string Device::architecture() const {
  return join("sm_", compute_capability_);
}

CUcontext Device::retain_context() {
  const std::lock_guard lock(mutex_);
  CUcontext made = context_.load(std::memory_order_relaxed);
  if (made != nullptr) return made;
  errors.check(cu.DevicePrimaryCtxRetain(&made, handle()),
               join("starting the device '", name(), "'"));
  context_.store(made, std::memory_order_release);
  return made;
}

CurrentContext::CurrentContext(Device &device) {
  const CUcontext wanted = device.context();
  CUcontext now = nullptr;
  if (cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == wanted) return;
  device.check(cu.CtxPushCurrent(wanted), "making the device's context current");
  pushed_ = true;
}

}  // namespace nexus_cuda
