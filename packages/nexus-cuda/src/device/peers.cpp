// SPDX-License-Identifier: Apache-2.0
#include "device/peers.hpp"

#include "device/context.hpp"
#include "device/device_state.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

bool can_reach(const Device &device, const Device &other) {
  int can = 0;
  device.check(cu.DeviceCanAccessPeer(&can, device.handle(), other.handle()),
               "asking whether GPUs reach each other's memory");
  return can != 0;
}

void enable_peer(Device &device, Device &other) {
  const CUcontext peer = other.context();
  const CUmemoryPool pool = other.state().memory.pool();
  const CurrentContext current(device);
  const CUresult enabled = cu.CtxEnablePeerAccess(peer, 0);
  if (enabled != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
    device.check(enabled, "letting a GPU use another one's memory");
  }
  if (pool == nullptr) return;
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device.ordinal()},
                                  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  device.check(cu.MemPoolSetAccess(pool, &access, 1), "letting a GPU use another one's buffers");
}

// Which device reaches which other's memory, of those that were asked for.
struct PeerTable {
  std::mutex mutex;
  std::map<std::pair<int, int>, bool> reaches;  // by ordinals
};

}  // namespace

bool let_reach(Device &device, Device &other) {
  static PeerTable *const known = new PeerTable;
  const std::lock_guard lock(known->mutex);
  const std::pair pair(device.ordinal(), other.ordinal());
  const auto found = known->reaches.find(pair);
  if (found != known->reaches.end()) return found->second;
  const bool can = can_reach(device, other);
  if (can) enable_peer(device, other);
  known->reaches.emplace(pair, can);
  return can;
}

}  // namespace nexus_cuda
