// SPDX-License-Identifier: Apache-2.0
// Devices that reach each other's memory: all do, or none.
#include "context.hpp"
#include "device.hpp"

namespace simulated_cuda {
namespace {

bool reach(const Device &device, const Device &peer) {
  return &device != &peer && world().settings.peers;
}

}  // namespace
}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuDeviceCanAccessPeer(int *out_can, CUdevice device, CUdevice peer) {
  return call("cuDeviceCanAccessPeer", Needs::kInit,
              [&](Call &) { give(out_can, reach(device_of(device), device_of(peer)) ? 1 : 0); });
}

SIMULATED_EXPORT CUresult cuDeviceGetP2PAttribute(int *out_value, int attribute, CUdevice device,
                                                  CUdevice peer) {
  return call("cuDeviceGetP2PAttribute", Needs::kInit, [&](Call &) {
    require(&device_of(device) != &device_of(peer), CUDA_ERROR_INVALID_DEVICE);
    require(attribute >= 1 && attribute <= 5);
    constexpr int kAccessSupported = 2;
    const bool supported = attribute == kAccessSupported && world().settings.peers;
    give(out_value, supported ? 1 : 0);
  });
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

SIMULATED_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return call("cuCtxDisablePeerAccess", Needs::kContext, [&](Call &call) {
    require(call.context->peers.erase(&context_of(peer)) == 1, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  });
}
