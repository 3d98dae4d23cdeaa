// SPDX-License-Identifier: Apache-2.0
// nxsCreateBufferFromHandle: memory that the program or another library got of CUDA.
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "memory/buffer.hpp"
#include "memory/known_memory.hpp"

#include <map>
#include <mutex>
#include <nexus-plugin/functions.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;

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

// Lets work of the device use the memory that another one's buffers have, and what the driver's
// plain functions gave there; for the life of the process. False where the GPUs do not reach each
// other. Any thread. Throws what the driver says.
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

[[noreturn]] void throw_of_another(const Device &device, uint64_t handle, const KnownMemory &known,
                                   const char *why) {
  throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", memory of the GPU ", known.ordinal, why,
              device.ordinal(), "; make the buffer on that GPU, and copy");
}

// Memory of another GPU, which this one's work may use if it reaches it.
void check_peer(Device &device, uint64_t handle, const KnownMemory &known) {
  const auto index = static_cast<std::size_t>(known.ordinal);
  Device *const other = index < all_devices.size() ? &device_of(all_devices[index]) : nullptr;
  if (other == nullptr || !let_reach(device, *other)) {
    throw_of_another(device, handle, known, ", which does not let itself be reached from the GPU ");
  }
  const bool ours = known.pool != nullptr && known.pool == other->state().memory.pool();
  if (!known.plain && !ours) {
    throw_of_another(device, handle, known,
                     ", of a pool or a mapping that is not known to be open to the GPU ");
  }
}

KnownMemory memory_of(Device &device, uint64_t handle) {
  const KnownMemory known = ask_of_memory(device, handle);
  if (known.type == 0) {
    throw Error(NXS_InvalidHostPtr, "handle is ", handle,
                ", which is no memory of CUDA's; give an address that its driver gave, or make the "
                "buffer over host memory (Maintain)");
  }
  const bool on_device = known.type == CU_MEMORYTYPE_DEVICE && !known.managed;
  if (on_device && known.ordinal != device.ordinal()) check_peer(device, handle, known);
  if (known.device_address == 0 && !on_device) {
    throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", host memory that the device '",
                device.name(), "' does not reach; allocate it portable and mapped");
  }
  return known;
}

MemoryPlace place_of_known(const KnownMemory &known) {
  if (known.managed) return MemoryPlace::kManaged;
  return known.on_host() ? MemoryPlace::kHost : MemoryPlace::kDevice;
}

FoundMemory find_memory(Device &device, uint64_t handle, uint64_t offset, uint64_t size) {
  if (handle == 0) {
    throw Error(NXS_InvalidHostPtr, "handle is 0; give the address of memory of the device's");
  }
  if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1");
  device.refuse_lost();
  const CurrentContext current(device);
  const KnownMemory known = memory_of(device, handle);
  const uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
  const uint64_t bytes = bytes_from(device, handle, known, end);
  if (bytes < end) {
    throw Error(NXS_InvalidBufferSize, "offset is ", offset, " and size ", size, ", and there are ",
                bytes, " bytes of memory from handle on; give a part of them");
  }
  FoundMemory found{MemoryKind::kForeign, place_of_known(known), size};
  const CUdeviceptr address = known.device_address != 0 ? known.device_address : handle;
  found.address = address + offset;
  if (found.place != MemoryPlace::kDevice) {
    const bool seen = known.host_address != nullptr;
    found.host = (seen ? static_cast<std::byte *>(known.host_address)
                       : reinterpret_cast<std::byte *>(static_cast<uintptr_t>(handle))) +
                 offset;
  }
  return found;
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RESULT(CreateBufferFromHandle,
                    (nxs_id device, uint64_t handle, uint64_t offset, uint64_t size, nxs_id *out),
                    buffers.create(device_of(device),
                                   find_memory(device_of(device), handle, offset, size)))
