// SPDX-License-Identifier: Apache-2.0
#include "device/context.hpp"

#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

CurrentContext::CurrentContext(Device &device) {
  const CUcontext wanted = device.context();
  CUcontext now = nullptr;
  if (cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == wanted) return;
  device.check(cu.CtxPushCurrent(wanted), "making the device's context current");
  pushed_ = true;
}

}  // namespace nexus_cuda
