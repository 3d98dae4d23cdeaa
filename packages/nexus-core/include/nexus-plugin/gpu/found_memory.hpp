// SPDX-License-Identifier: Apache-2.0
// Buffers of existing memory: of the program or another library (nxsCreateBufferFromHandle), and of
// other processes (nxsExportBuffer, nxsImportBuffer). Beside the members in buffer.hpp and
// exported.hpp, G has
//
//   static Device *device(int ordinal);  // NULL if there is none
//   // Asks for the attributes of an address. The device must be current. Throws.
//   static KnownMemory look_up(Device &device, Address address);
//   static Result can_access(int *out, NativeDevice device, NativeDevice other) noexcept;
//   // Lets the current device use memory of another one.
//   static Result enable_access(Device &other);
//   static constexpr Result kAccessEnabled = ...;  // it was enabled before
//   struct MemoryHandle { char reserved[...]; };   // for other processes
//   static Result export_memory(MemoryHandle *out, Address address) noexcept;
//   static Result open_memory(Address *out, const MemoryHandle &handle) noexcept;
#ifndef NEXUS_PLUGIN_GPU_FOUND_MEMORY_HPP_
#define NEXUS_PLUGIN_GPU_FOUND_MEMORY_HPP_

#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/gpu/buffer.hpp>
#include <nexus-plugin/gpu/exported.hpp>
#include <nexus-plugin/memory/transfer.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class G>
class MemoryFinder {
 public:
  using Device = typename G::Device;
  using Address = typename G::Address;
  using Found = FoundMemory<G>;

  // Finds memory of the program or of another library, for nxsCreateBufferFromHandle.
  static Found find(Device &device, uint64_t handle, uint64_t offset, uint64_t size) {
    if (handle == 0) {
      throw Error(NXS_InvalidHostPtr, "handle is 0; give an address in the device's memory");
    }
    if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1");
    device.refuse_lost();
    const typename G::Use current(device);
    const KnownMemory known = check_known(device, handle);
    const uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    const uint64_t bytes = bytes_from(device, handle, known, end);
    if (bytes < end) {
      throw Error(NXS_InvalidBufferSize, "offset is ", offset, " and size ", size,
                  ", and there are ", bytes,
                  " bytes of memory from handle on; give a range within them");
    }
    Found found{MemoryKind::kForeign, known.place, size};
    const Address address = known.device_address != 0 ? known.device_address : handle;
    found.address = address + offset;
    if (found.place != MemoryPlace::kDevice) {
      const bool told = known.host_address != nullptr;
      found.host = (told ? static_cast<std::byte *>(known.host_address)
                         : reinterpret_cast<std::byte *>(static_cast<uintptr_t>(handle))) +
                   offset;
    }
    return found;
  }

  // Implements nxsExportBuffer.
  static void export_buffer(const Buffer<G> &buffer, nxs_id id, const nxs_sink &handle) {
    check_sharing(buffer.device());
    switch (buffer.kind()) {
      case MemoryKind::kShared:
        return write_to(handle, exported(buffer, id));
      case MemoryKind::kSharedHost:
        return export_memory(buffer.pages(), handle);
      case MemoryKind::kImported:
      case MemoryKind::kBorrowed:
        throw Error(NXS_InvalidOperation,
                    "the buffer was imported; export it in the process that created it");
      default:
        return export_memory(ProcessMemory(), handle);  // throws
    }
  }

  // Implements nxsImportBuffer.
  template <class Buffers>
  static nxs_id import_buffer(Buffers &buffers, Device &device, std::string_view text) {
    check_sharing(device);
    device.refuse_lost();
    const typename G::Use current(device);
    Found found = find_shared(buffers, device, text);
    const Address opened = found.kind == MemoryKind::kImported ? found.address : 0;
    try {
      return buffers.create(device, std::move(found));
    } catch (...) {
      if (opened != 0) (void)G::close_memory(opened);
      throw;
    }
  }

 private:
  // Returns how many bytes of memory follow the address, up to `wanted`. known: its attributes.
  // Calls the driver as look_up() does.
  static uint64_t bytes_from(Device &device, Address address, const KnownMemory &known,
                             uint64_t wanted) {
    Address end = known.begin + known.size;
    while (end - address < wanted && known.mapped) {
      const KnownMemory next = G::look_up(device, end);
      if (!next.mapped || next.ordinal != known.ordinal || next.size == 0) break;
      end = next.begin + next.size;
    }
    return std::min<uint64_t>(wanted, end - address);
  }

  // ---- Memory of the program or of another library ------------------------------

  static void enable_access(Device &device, Device &other) {
    DeviceMemory<G> &memory = other.state().memory;
    const typename G::Use current(device);
    const Result enabled = G::enable_access(other);
    if (enabled != G::kAccessEnabled) {
      device.check(enabled, "letting a GPU use another one's memory");
    }
    memory.let_access(device);
  }

  // Lets the device use another one's buffers and other memory, for the life of the process.
  // Returns false if it can't access the other one. Any thread. Throws the driver's error.
  static bool let_access(Device &device, Device &other) {
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
    device.check(G::can_access(&can, device.handle(), other.handle()),
                 "asking whether a GPU can access another one's memory");
    if (can != 0) enable_access(device, other);
    known->accesses.emplace(pair, can != 0);
    return can != 0;
  }

  // Throws NXS_InvalidHostPtr if the device can't access memory of another GPU.
  static void check_peer(Device &device, uint64_t handle, const KnownMemory &known) {
    Device *const other = G::device(known.ordinal);
    const bool accesses = other != nullptr && let_access(device, *other);
    if (accesses && known.for_peers) return;
    throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", memory of the GPU ", known.ordinal,
                accesses ? ", in a pool or a mapping that may not be accessible from the GPU "
                         : ", which can't be accessed from the GPU ",
                device.ordinal(), "; make the buffer on that GPU, and copy");
  }

  static KnownMemory check_known(Device &device, uint64_t handle) {
    const KnownMemory known = G::look_up(device, handle);
    if (!known.known) {
      throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", which is not ", G::kName,
                  " memory; give an address from ", G::kName,
                  ", or make the buffer of host memory (Maintain)");
    }
    const bool on_device = known.place == MemoryPlace::kDevice;
    if (on_device && known.ordinal != device.ordinal()) check_peer(device, handle, known);
    if (known.device_address == 0 && !on_device) {
      throw Error(NXS_InvalidHostPtr, "handle is ", handle, ", host memory that the device '",
                  device.name(), "' can't access; allocate it portable and mapped");
    }
    return known;
  }

  // ---- Memory of other processes --------------------------------------------------

  // The content of an exported handle.
  struct SharedMemory {
    Exported<G> from;   // object: the buffer
    uint64_t size = 0;  // bytes
    typename G::MemoryHandle handle{};
  };

  static constexpr std::string_view kHead = "-memory 1 ";  // after the backend's name

  // Throws NXS_InvalidValue.
  static SharedMemory parse(std::string_view text) {
    SharedMemory told;
    ExportedText parts(text);
    const bool good = parts.take(G::kBackend) && parts.take(kHead) && told.from.take_from(parts) &&
                      parts.take_number(told.size) && parts.take_bytes(told.handle.reserved) &&
                      parts.rest() == "\n" && told.size != 0;
    if (good) return told;
    throw Error(
        NXS_InvalidValue,
        "handle is not exported memory of a GPU; give all bytes that nxsExportBuffer wrote");
  }

  static std::string exported(const Buffer<G> &buffer, nxs_id id) {
    Device &device = buffer.device();
    device.refuse_lost();
    const typename G::Use current(device);
    SharedMemory told;
    told.from = Exported<G>::here(device, id);
    told.size = buffer.size();
    device.check(G::export_memory(&told.handle, buffer.address()), "exporting a buffer");
    return join(G::kBackend, kHead, told.from.text(), told.size, " ",
                hexadecimal({told.handle.reserved, sizeof(told.handle.reserved)}), "\n");
  }

  [[noreturn]] static void throw_gone(uint64_t process) {
    throw Error(NXS_InvalidOperation,
                "the memory of handle is gone or belongs to another user; keep the buffer open in ",
                "process ", process);
  }

  // Finds memory that this process exported, which the driver can't open here.
  template <class Buffers>
  static Found find_own(const Buffers &buffers, Device &device, const SharedMemory &told) {
    Ref<Buffer<G>> owner;
    try {
      owner = buffers.pin(told.from.object);
    } catch (const Error &) {
      throw_gone(told.from.process);
    }
    if (owner->kind() != MemoryKind::kShared || owner->size() != told.size)
      throw_gone(told.from.process);
    check_same_device("memory of handle", owner->device(), device);
    Found found{MemoryKind::kBorrowed, MemoryPlace::kDevice, told.size, owner->address()};
    found.owner = std::move(owner);
    return found;
  }

  static void check_size(Device &device, const SharedMemory &told, Address address) {
    const KnownMemory known = G::look_up(device, address);
    if (known.size == 0 || bytes_from(device, address, known, told.size) >= told.size) return;
    throw Error(NXS_InvalidValue, "handle has a size of ", told.size,
                " bytes, and its memory has fewer; give all bytes that nxsExportBuffer wrote");
  }

  static Found find_other(Device &device, const SharedMemory &told) {
    Address address = 0;
    told.from.check_opened(G::open_memory(&address, told.handle), device, "memory");
    try {
      check_size(device, told, address);
    } catch (...) {
      (void)G::close_memory(address);
      throw;
    }
    return {MemoryKind::kImported, MemoryPlace::kDevice, told.size, address};
  }

  template <class Buffers>
  static Found find_shared(const Buffers &buffers, Device &device, std::string_view text) {
    if (!text.starts_with(G::kBackend)) {
      ProcessMemory pages = ProcessMemory::open(text);
      Found found{MemoryKind::kSharedHost, MemoryPlace::kHost, pages.size()};
      found.pages = std::move(pages);
      return found;
    }
    const SharedMemory told = parse(text);
    told.from.check_device(device, "memory");
    return told.from.of_this_process() ? find_own(buffers, device, told) : find_other(device, told);
  }
};

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsCreateBufferFromHandle, nxsExportBuffer and nxsImportBuffer.
//   NEXUS_PLUGIN_GPU_FOUND_MEMORY(Gpu, devices, buffers)
#define NEXUS_PLUGIN_GPU_FOUND_MEMORY(Gpu, devices, buffers)                                       \
  NEXUS_PLUGIN_RESULT(                                                                             \
      CreateBufferFromHandle,                                                                      \
      (nxs_id device, uint64_t handle, uint64_t offset, uint64_t size, nxs_id *out),               \
      (buffers).create(*(devices).pin(device), nexus_plugin::gpu::MemoryFinder<Gpu>::find(         \
                                                   *(devices).pin(device), handle, offset, size))) \
  NEXUS_PLUGIN_SHARED(Buffer, devices, buffers,                                                    \
                      nexus_plugin::gpu::MemoryFinder<Gpu>::export_buffer(*object, id, sink),      \
                      nexus_plugin::gpu::MemoryFinder<Gpu>::import_buffer(buffers, *owner, text))

#endif  // NEXUS_PLUGIN_GPU_FOUND_MEMORY_HPP_
