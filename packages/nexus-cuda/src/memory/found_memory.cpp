// SPDX-License-Identifier: Apache-2.0
// Buffers of existing memory: of the program or another library (nxsCreateBufferFromHandle), and of
// other processes (nxsExportBuffer, nxsImportBuffer).
#include "device/device_memory.hpp"
#include "memory/buffer.hpp"
#include "stream/exported.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/text.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// ---- Attributes of an address ----------------------------------------------

struct KnownMemory {
  CUmemorytype type{};  // 0: not memory of the driver
  int ordinal = -1;     // of its device
  bool managed = false;
  bool plain = false;           // allocated by cuMemAlloc, so that peer access covers it
  CUmemoryPool pool = nullptr;  // NULL: in no pool
  // The allocation that contains the address.
  CUdeviceptr begin = 0;
  uint64_t size = 0;
  // The address for the current context's device and for the host; 0 and NULL if they can't access
  // it.
  CUdeviceptr device_address = 0;
  void *host_address = nullptr;

  bool on_host() const noexcept { return type == CU_MEMORYTYPE_HOST; }
  // Returns whether the memory was mapped (cuMemMap), and so may go on in another allocation.
  bool mapped() const noexcept {
    return type == CU_MEMORYTYPE_DEVICE && !managed && !plain && pool == nullptr;
  }
};

// The device's context must be current. Throws the driver's error.
KnownMemory ask_of_memory(Device &device, CUdeviceptr address) {
  KnownMemory known;
  uint32_t managed = 0, plain = 0;  // the driver writes one byte or four
  size_t size = 0;
  CUpointer_attribute asked[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
      CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
      CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *told[] = {&known.type, &known.ordinal,        &managed,
                  &plain,      &known.pool,           &known.begin,
                  &size,       &known.device_address, &known.host_address};
  static_assert(std::size(asked) == std::size(told));
  device.check(cu.PointerGetAttributes(std::size(asked), asked, told, address),
               "reading the attributes of an address");
  known.managed = managed != 0;
  known.plain = plain != 0;
  known.size = size;
  return known;
}

// Returns how many bytes of memory follow the address, up to `wanted`. known: its attributes. Calls
// the driver as ask_of_memory() does.
uint64_t bytes_from(Device &device, CUdeviceptr address, const KnownMemory &known,
                    uint64_t wanted) {
  CUdeviceptr end = known.begin + known.size;
  while (end - address < wanted && known.mapped()) {
    const KnownMemory next = ask_of_memory(device, end);
    if (!next.mapped() || next.ordinal != known.ordinal || next.size == 0) break;
    end = next.begin + next.size;
  }
  return std::min<uint64_t>(wanted, end - address);
}

// ---- Memory of the program or of another library ------------------------------

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

// Lets the device use another one's buffers and cuMemAlloc memory, for the life of the process.
// Returns false if it can't access the other one. Any thread. Throws the driver's error.
bool let_access(Device &device, Device &other) {
  struct PeerTable {
    std::mutex mutex;
    std::map<std::pair<int, int>, bool> accesses;  // by ordinals
  };
  static PeerTable *const known = new PeerTable;
  const std::lock_guard lock(known->mutex);
  const std::pair pair(device.ordinal(), other.ordinal());
  const auto found = known->accesses.find(pair);
  if (found != known->accesses.end()) return found->second;
  int can = 0;
  device.check(cu.DeviceCanAccessPeer(&can, device.handle(), other.handle()),
               "asking whether a GPU can access another one's memory");
  if (can != 0) enable_peer(device, other);
  known->accesses.emplace(pair, can != 0);
  return can != 0;
}

// Throws NXS_InvalidHostPtr if the device can't access memory of another GPU.
void check_peer(Device &device, uint64_t handle, const KnownMemory &known) {
  const auto index = static_cast<std::size_t>(known.ordinal);
  Device *const other = index < all_devices.size() ? &device_of(all_devices[index]) : nullptr;
  const bool accesses = other != nullptr && let_access(device, *other);
  if (accesses &&
      (known.plain || (known.pool != nullptr && known.pool == other->state().memory.pool()))) {
    return;
  }
  throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", memory of the GPU ", known.ordinal,
              accesses ? ", in a pool or a mapping that may not be accessible from the GPU "
                       : ", which can't be accessed from the GPU ",
              device.ordinal(), "; make the buffer on that GPU, and copy");
}

KnownMemory memory_of(Device &device, uint64_t handle) {
  const KnownMemory known = ask_of_memory(device, handle);
  if (known.type == 0) {
    throw Error(NXS_InvalidHostPtr, "handle is ", handle,
                ", which is not CUDA memory; give an address from CUDA, or make the buffer of host "
                "memory (Maintain)");
  }
  const bool on_device = known.type == CU_MEMORYTYPE_DEVICE && !known.managed;
  if (on_device && known.ordinal != device.ordinal()) check_peer(device, handle, known);
  if (known.device_address == 0 && !on_device) {
    throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", host memory that the device '",
                device.name(), "' can't access; allocate it portable and mapped");
  }
  return known;
}

FoundMemory find_memory(Device &device, uint64_t handle, uint64_t offset, uint64_t size) {
  if (handle == 0) {
    throw Error(NXS_InvalidHostPtr, "handle is 0; give an address in the device's memory");
  }
  if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1");
  device.refuse_lost();
  const CurrentContext current(device);
  const KnownMemory known = memory_of(device, handle);
  const uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
  const uint64_t bytes = bytes_from(device, handle, known, end);
  if (bytes < end) {
    throw Error(NXS_InvalidBufferSize, "offset is ", offset, " and size ", size, ", and there are ",
                bytes, " bytes of memory from handle on; give a range within them");
  }
  const MemoryPlace place = known.managed     ? MemoryPlace::kManaged
                            : known.on_host() ? MemoryPlace::kHost
                                              : MemoryPlace::kDevice;
  FoundMemory found{MemoryKind::kForeign, place, size};
  const CUdeviceptr address = known.device_address != 0 ? known.device_address : handle;
  found.address = address + offset;
  if (found.place != MemoryPlace::kDevice) {
    const bool told = known.host_address != nullptr;
    found.host = (told ? static_cast<std::byte *>(known.host_address)
                       : reinterpret_cast<std::byte *>(static_cast<uintptr_t>(handle))) +
                 offset;
  }
  return found;
}

// ---- Memory of other processes --------------------------------------------------

// What an exported handle tells.
struct SharedMemory {
  Exported from;      // object: the buffer
  uint64_t size = 0;  // bytes
  CUipcMemHandle handle{};
};

constexpr std::string_view kMemoryHead = "nexus-cuda-memory 1 ";

// Throws NXS_InvalidValue.
SharedMemory parse_memory(std::string_view text) {
  SharedMemory told;
  ExportedText parts(text);
  const bool good = parts.take(kMemoryHead) && told.from.take_from(parts) &&
                    parts.take_number(told.size) && parts.take_bytes(told.handle.reserved) &&
                    parts.rest() == "\n" && told.size != 0;
  if (good) return told;
  throw Error(NXS_InvalidValue,
              "handle is no exported memory of a GPU; give all that nxsExportBuffer wrote");
}

std::string exported(const Buffer &buffer, nxs_id id) {
  Device &device = buffer.device();
  device.refuse_lost();
  const CurrentContext current(device);
  SharedMemory told;
  told.from = Exported::here(device, id);
  told.size = buffer.size();
  device.check(cu.IpcGetMemHandle(&told.handle, buffer.address()), "exporting a buffer");
  return join(kMemoryHead, told.from.text(), told.size, " ",
              nexus_plugin::hexadecimal({told.handle.reserved, sizeof(told.handle.reserved)}),
              "\n");
}

void export_buffer(const Buffer &buffer, nxs_id id, const nxs_sink &handle) {
  switch (buffer.kind()) {
    case MemoryKind::kShared:
      return nexus_plugin::write_to(handle, exported(buffer, id));
    case MemoryKind::kSharedHost:
      return nexus_plugin::export_memory(buffer.pages(), handle);
    case MemoryKind::kImported:
    case MemoryKind::kBorrowed:
      throw Error(NXS_InvalidOperation,
                  "the buffer was imported; the process that made it can export it");
    default:
      return nexus_plugin::export_memory(ProcessMemory(), handle);  // throws
  }
}

[[noreturn]] void throw_gone(uint64_t process) {
  throw Error(NXS_InvalidOperation,
              "the memory that handle names is gone, or is another user's: ", "process ", process,
              " has to keep the buffer that it exported");
}

// Finds memory that this process exported, which the driver can't open here.
FoundMemory find_own(Device &device, const SharedMemory &told) {
  Ref<Buffer> owner;
  try {
    owner = buffers.pin(told.from.object);
  } catch (const Error &) {
    throw_gone(told.from.process);
  }
  if (owner->kind() != MemoryKind::kShared || owner->size() != told.size)
    throw_gone(told.from.process);
  check_same_device("memory that handle names", owner->device(), device);
  FoundMemory found{MemoryKind::kBorrowed, MemoryPlace::kDevice, told.size, owner->address()};
  found.owner = std::move(owner);
  return found;
}

void check_size(Device &device, const SharedMemory &told, CUdeviceptr address) {
  const KnownMemory known = ask_of_memory(device, address);
  if (known.size == 0 || bytes_from(device, address, known, told.size) >= told.size) return;
  throw Error(
      NXS_InvalidValue, "handle says ", told.size,
      " bytes, and the memory that it names has fewer; give all that nxsExportBuffer wrote");
}

FoundMemory find_other(Device &device, const SharedMemory &told) {
  CUdeviceptr address = 0;
  told.from.check_opened(
      cu.IpcOpenMemHandle(&address, told.handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), device,
      "memory");
  try {
    check_size(device, told, address);
  } catch (...) {
    (void)cu.IpcCloseMemHandle(address);
    throw;
  }
  return {MemoryKind::kImported, MemoryPlace::kDevice, told.size, address};
}

FoundMemory find_shared(Device &device, std::string_view text) {
  if (!text.starts_with("nexus-cuda")) {
    ProcessMemory pages = ProcessMemory::open(text);
    FoundMemory found{MemoryKind::kSharedHost, MemoryPlace::kHost, pages.size()};
    found.pages = std::move(pages);
    return found;
  }
  const SharedMemory told = parse_memory(text);
  told.from.check_device(device, "memory");
  return told.from.of_this_process() ? find_own(device, told) : find_other(device, told);
}

nxs_id import_buffer(Device &device, std::string_view text) {
  device.refuse_lost();
  const CurrentContext current(device);
  FoundMemory found = find_shared(device, text);
  const CUdeviceptr opened = found.kind == MemoryKind::kImported ? found.address : 0;
  try {
    return buffers.create(device, std::move(found));
  } catch (...) {
    if (opened != 0) (void)cu.IpcCloseMemHandle(opened);
    throw;
  }
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_RESULT(CreateBufferFromHandle,
                    (nxs_id device, uint64_t handle, uint64_t offset, uint64_t size, nxs_id *out),
                    buffers.create(device_of(device),
                                   find_memory(device_of(device), handle, offset, size)))

NEXUS_PLUGIN_SHARED(Buffer, devices, buffers, export_buffer(*object, id, sink),
                    import_buffer(*owner, text))
