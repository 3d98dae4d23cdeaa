// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_BUFFER_HPP_
#define NEXUS_CUDA_BUFFER_HPP_

#include "device/queue.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/memory/buffer.hpp>
#include <nexus-plugin/memory/process_memory.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::ProcessMemory;

// Kinds of memory, which are freed in different ways.
enum class MemoryKind {
  kDevice,      // of the device's pool
  kHost,        // page-locked host memory
  kManaged,     // managed memory, which the driver moves between host and device
  kMaintained,  // the caller's host memory, page-locked as long as the buffer lives
  kShared,      // device memory that other processes can open
  kSharedHost,  // host memory that processes share, page-locked as long as the buffer lives
  kImported,    // device memory of another process
  kBorrowed,    // memory of another buffer, which is kept
  kForeign,     // memory that the program or another library frees
};

// Where memory is, as DLPack's device type.
enum class MemoryPlace : int64_t { kDevice = 2, kHost = 3, kManaged = 13 };

class Buffer;

// Existing memory for a buffer.
struct FoundMemory {
  MemoryKind kind;
  MemoryPlace place = MemoryPlace::kDevice;
  uint64_t size = 0;          // bytes
  CUdeviceptr address = 0;    // for the device; not set for kSharedHost
  std::byte *host = nullptr;  // for the host; NULL if it can't access the memory
  Ref<Buffer> owner{};        // for kBorrowed
  ProcessMemory pages{};      // for kSharedHost
};

// A buffer. Its memory is freed after the work that uses it.
class Buffer {
 public:
  // Implements nxsCreateBuffer.
  Buffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // For kSharedHost the device's context must be current. Throws if it can't be page-locked.
  Buffer(Device &device, FoundMemory memory);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  MemoryKind kind() const noexcept { return kind_; }
  MemoryPlace place() const noexcept { return place_; }
  CUdeviceptr address() const noexcept { return address_; }  // for the device
  // Returns the memory of kSharedHost.
  const ProcessMemory &pages() const noexcept { return pages_; }

  // Notes that work of the stream uses the memory.
  void used_in(const PooledStream &pooled) const noexcept {
    const StreamSet bit = stream_bit(pooled.index);
    if ((users_.load(std::memory_order_relaxed) & bit) == 0) {
      users_.fetch_or(bit, std::memory_order_relaxed);
    }
  }

  // Implement nxsMapBuffer and nxsUnmapBuffer, which only count.
  void *map(uint64_t offset);
  void unmap(const void *pointer) { mappings_.remove(pointer, host_, size_); }

 private:
  void allocate(void *host_ptr);
  void lock_pages();
  void find_address();
  void free() noexcept;
  void free_pages(StreamSet users) noexcept;
  void free_without_context() noexcept;

  Device *device_;
  uint64_t size_;
  MemoryKind kind_;
  MemoryPlace place_;
  CUdeviceptr address_ = 0;
  std::byte *host_ = nullptr;
  bool counted_ = false;  // the bytes are in DeviceMemory::count()
  mutable std::atomic<StreamSet> users_{0};
  nexus_plugin::MappingCount mappings_;
  Ref<Buffer> owner_;
  ProcessMemory pages_;
};

// Copies to device memory that no work uses yet, and waits for the copy. The device's context must
// be current.
void copy_into_new(const Buffer &buffer, const void *from);

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

// ---- Page-locked memory: the device's context must be current ----------------

// Page-locks the pages of a range for all devices, unless they are page-locked already. Call
// unregister_memory() once for each. Throws NXS_InvalidHostPtr.
void register_memory(Device &device, void *address, uint64_t size);
void unregister_memory(const void *address) noexcept;

// Returns whether the driver knows the memory, and so copies from and to it directly.
bool is_page_locked(const void *address, uint64_t size) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_BUFFER_HPP_
