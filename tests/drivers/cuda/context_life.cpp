// SPDX-License-Identifier: Apache-2.0
// Contexts come and go: each device's primary one, and those that a program makes itself.
#include "context.hpp"
#include "context_stack.hpp"
#include "device.hpp"

namespace simulated_cuda {
namespace {

uint64_t latest_id = 0;  // under the world's lock

Context &make_context(Device &device) {
  auto made = std::make_shared<Context>(device);
  made->handle = world().contexts.add(made);
  made->id = ++latest_id;
  return *made;
}

void activate(Device &device) {
  if (device.primary == nullptr) device.primary = &make_context(device);
  if (!device.primary->destroyed()) return;
  device.primary->revive();
  device.primary->flags = device.primary_flags;
}

CUresult create(CUcontext *out_context, unsigned flags, CUdevice device) {
  return call("cuCtxCreate", Needs::kInit, [&](Call &) {
    require(out_context != nullptr);
    Context &made = make_context(device_of(device));
    made.flags = flags;
    made.revive();
    context_stack().push_back(&made);
    *out_context = made.handle;
  });
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out_context, CUdevice device) {
  return call("cuDevicePrimaryCtxRetain", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    require(out_context != nullptr);
    activate(asked);
    ++asked.primary_users;
    *out_context = asked.primary->handle;
  });
}

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call("cuDevicePrimaryCtxRelease", Needs::kInit, [&](Call &call) {
    Device &asked = device_of(device);
    require(asked.primary_users > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--asked.primary_users == 0) asked.primary->destroy(call);
  });
}

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return call("cuDevicePrimaryCtxReset", Needs::kInit, [&](Call &call) {
    Device &asked = device_of(device);
    if (asked.primary == nullptr || asked.primary->destroyed()) return;
    asked.primary->destroy(call);
    asked.primary_users = 0;
  });
}

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return call("cuDevicePrimaryCtxSetFlags", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    asked.primary_flags = flags;
    if (asked.primary != nullptr) asked.primary->flags = flags;
  });
}

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *out_flags,
                                                     int *out_active) {
  return call("cuDevicePrimaryCtxGetState", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    give(out_flags, asked.primary_flags);
    give(out_active, asked.primary != nullptr && !asked.primary->destroyed() ? 1 : 0);
  });
}

SIMULATED_EXPORT CUresult cuCtxCreate_v2(CUcontext *out_context, unsigned flags, CUdevice device) {
  return create(out_context, flags, device);
}

SIMULATED_EXPORT CUresult cuCtxCreate_v4(CUcontext *out_context, void *, unsigned flags,
                                         CUdevice device) {
  return create(out_context, flags, device);
}

SIMULATED_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  return call("cuCtxDestroy", Needs::kInit, [&](Call &call) {
    Context &ended = context_of(context);
    require(&ended != ended.device().primary, CUDA_ERROR_INVALID_CONTEXT);
    require(!ended.destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    auto &stack = context_stack();
    if (!stack.empty() && stack.back() == &ended) stack.pop_back();
    ended.destroy(call);
  });
}
