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

// Kinds of memory: who frees it, and how.
enum class MemoryKind {
  kDevice,      // of the device's pool
  kHost,        // page-locked, which the device reaches
  kManaged,     // moves by itself
  kMaintained,  // the caller's, page-locked while the buffer lives
  kShared,      // the device's, which other processes can be given
  kSharedHost,  // the host's, likewise, or of another process; page-locked while the buffer lives
  kImported,    // a device's, of another process
  kBorrowed,    // of another buffer, which it keeps
  kForeign,     // somebody else's, who frees it
};

// Where memory is, by DLPack's numbers of kinds of devices.
enum class MemoryPlace : int64_t { kDevice = 2, kHost = 3, kManaged = 13 };

class Buffer;

// Memory that is there already, for a buffer.
struct FoundMemory {
  MemoryKind kind;
  MemoryPlace place = MemoryPlace::kDevice;
  uint64_t size = 0;          // bytes
  CUdeviceptr address = 0;    // as the device's work sees it; 0: found out
  std::byte *host = nullptr;  // as the host sees it; NULL where it does not
  Ref<Buffer> owner{};        // of kBorrowed
  ProcessMemory pages{};      // of kSharedHost
};

// Memory that a device works with. It is freed when the work that uses it is done.
class Buffer {
 public:
  // As nxsCreateBuffer. device outlives this.
  Buffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // device outlives this.
  Buffer(Device &device, FoundMemory memory);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  MemoryKind kind() const noexcept { return kind_; }
  MemoryPlace place() const noexcept { return place_; }
  // As the device's work sees it.
  CUdeviceptr address() const noexcept { return address_; }
  // As the host sees it; NULL where it does not.
  std::byte *host_address() const noexcept { return host_; }
  // Of kSharedHost.
  const ProcessMemory &pages() const noexcept { return pages_; }

  // Work of the stream uses the memory, from now on.
  void used_in(const PooledStream &pooled) const noexcept {
    const StreamSet bit = stream_bit(pooled.index);
    if ((users_.load(std::memory_order_relaxed) & bit) == 0) {
      users_.fetch_or(bit, std::memory_order_relaxed);
    }
  }

  // As nxsMapBuffer and nxsUnmapBuffer, which only count.
  void *map(uint64_t offset);
  void unmap(const void *pointer) { mappings_.remove(pointer, host_, size_); }

 private:
  void allocate(void *host_ptr);
  void lock_pages();
  void find_address();
  void free() noexcept;
  void free_pages(StreamSet users) noexcept;
  void free_without_context() noexcept;
  bool is_counted() const noexcept;

  Device *device_;
  uint64_t size_;
  MemoryKind kind_;
  MemoryPlace place_;
  CUdeviceptr address_ = 0;
  std::byte *host_ = nullptr;
  bool counted_ = false;
  mutable std::atomic<StreamSet> users_{0};
  nexus_plugin::MappingCount mappings_;
  Ref<Buffer> owner_;
  ProcessMemory pages_;
};

// Copies to a buffer of the device's memory that no work knows yet, and waits for the copy. With
// the device's context current.
void copy_into_new(const Buffer &buffer, const void *from);

extern constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_BUFFER_HPP_
