// SPDX-License-Identifier: Apache-2.0
// Devices, their contexts and whether they reach each other's memory: all do, or none.
#include "../simulator/context.hpp"
#include "../simulator/device.hpp"

#include <cstdio>
#include <cstring>

using namespace simulator;

// ---- Devices ----

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
    (void)device_of(device);
    require(out_name != nullptr && capacity > 0);
    std::snprintf(out_name, static_cast<size_t>(capacity), "Simulated GPU");
  });
}

SIMULATED_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *out_uuid, CUdevice device) {
  return call("cuDeviceGetUuid", Needs::kInit, [&](Call &) {
    CUuuid uuid;
    std::memcpy(uuid.bytes, uuid_of(device_of(device).number()).data(), sizeof(uuid.bytes));
    give(out_uuid, uuid);
  });
}

SIMULATED_EXPORT CUresult cuDeviceTotalMem_v2(size_t *out_bytes, CUdevice device) {
  return call("cuDeviceTotalMem", Needs::kInit,
              [&](Call &) { give(out_bytes, static_cast<size_t>(device_of(device).memory())); });
}

SIMULATED_EXPORT CUresult cuDeviceGetAttribute(int *out_value, int attribute, CUdevice device) {
  return call("cuDeviceGetAttribute", Needs::kInit,
              [&](Call &) { give(out_value, device_of(device).attribute(attribute)); });
}

SIMULATED_EXPORT CUresult cuDeviceCanAccessPeer(int *out_can, CUdevice device, CUdevice peer) {
  return call("cuDeviceCanAccessPeer", Needs::kInit,
              [&](Call &) { give(out_can, reach(device_of(device), device_of(peer)) ? 1 : 0); });
}

SIMULATED_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return call("cuCtxEnablePeerAccess", Needs::kContext, [&](Call &call) {
    require(flags == 0);
    Context &other = context_of(peer);
    require(&other != call.context, CUDA_ERROR_INVALID_CONTEXT);
    require(reach(call.context->device(), other.device()), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    require(call.context->peers.insert(&other).second, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  });
}

// ---- Contexts ----

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out_context, CUdevice device) {
  return call("cuDevicePrimaryCtxRetain", Needs::kInit, [&](Call &) {
    Device &asked = device_of(device);
    require(out_context != nullptr);
    give(out_context, primary_context(asked).handle);
    ++asked.primary_users;
  });
}

SIMULATED_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call("cuDevicePrimaryCtxRelease", Needs::kInit, [&](Call &call) {
    Device &asked = device_of(device);
    require(asked.primary_users > 0, CUDA_ERROR_INVALID_CONTEXT);
    if (--asked.primary_users == 0) asked.primary->destroy(call);
  });
}

SIMULATED_EXPORT CUresult cuCtxCreate_v2(CUcontext *out_context, unsigned, CUdevice device) {
  return call("cuCtxCreate", Needs::kInit, [&](Call &) {
    require(out_context != nullptr);
    Context &made = Context::make(device_of(device));
    made.revive();
    context_stack().push_back(&made);
    give(out_context, made.handle);
  });
}

SIMULATED_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  return call("cuCtxDestroy", Needs::kInit, [&](Call &call) {
    Context &ended = context_of(context);
    require(&ended != ended.device().primary, CUDA_ERROR_INVALID_CONTEXT);
    require(!ended.destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    if (current_context() == &ended) context_stack().pop_back();
    ended.destroy(call);
  });
}

SIMULATED_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return call("cuCtxPushCurrent", Needs::kInit, [&](Call &) {
    Context &pushed = context_of(context);
    require(!pushed.destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    context_stack().push_back(&pushed);
  });
}

SIMULATED_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out_context) {
  return call("cuCtxPopCurrent", Needs::kInit, [&](Call &) {
    Context *popped = current_context();
    require(popped != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    if (out_context != nullptr) give(out_context, popped->handle);
    context_stack().pop_back();
  });
}

SIMULATED_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return call("cuCtxSetCurrent", Needs::kInit, [&](Call &) {
    Context *wanted = context == nullptr ? nullptr : &context_of(context);
    if (current_context() != nullptr) context_stack().pop_back();
    if (wanted != nullptr) context_stack().push_back(wanted);
  });
}

SIMULATED_EXPORT CUresult cuCtxGetCurrent(CUcontext *out_context) {
  return call("cuCtxGetCurrent", Needs::kInit, [&](Call &) {
    Context *current = current_context();
    give(out_context, current == nullptr ? nullptr : current->handle);
  });
}

SIMULATED_EXPORT CUresult cuCtxGetStreamPriorityRange(int *out_least, int *out_greatest) {
  return call("cuCtxGetStreamPriorityRange", Needs::kContext, [&](Call &) {
    if (out_least != nullptr) *out_least = 0;
    if (out_greatest != nullptr) *out_greatest = -5;
  });
}
