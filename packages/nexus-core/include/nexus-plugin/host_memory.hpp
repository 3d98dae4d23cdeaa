// SPDX-License-Identifier: Apache-2.0
// Buffers in host memory, and the copies and fills between them, for backends
// whose device works in the host's memory.
#ifndef NEXUS_PLUGIN_HOST_MEMORY_HPP_
#define NEXUS_PLUGIN_HOST_MEMORY_HPP_

#include <nexus-plugin/process_memory.hpp>
#include <nexus-plugin/transfer.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>

namespace nexus_plugin NXS_HIDDEN {

// Memory that somebody else got, as nxsCreateBufferFromHandle names it where a handle is an
// address.
struct HostAddress {
  uint64_t handle;
  uint64_t offset;
};

// Statuses: as nxsCreateBuffer. Any thread.
class HostBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vectors

  HostBuffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr) : size_(size) {
    constexpr nxs_buffer_settings known = NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice |
                                          NXS_BufferSettings_Maintain |
                                          NXS_BufferSettings_Shareable;
    if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1 byte");
    check_settings(settings, known);
    if ((settings & NXS_BufferSettings_Maintain) != 0) {
      data_ = maintained(settings, host_ptr);
      return;
    }
    if ((settings & NXS_BufferSettings_Shareable) != 0) {
      shared_ = ProcessMemory::make(size);
      data_ = shared_.data();
    } else {
      owned_.reset(data_ = allocate(size));
    }
    if (host_ptr != nullptr) std::memcpy(data_, host_ptr, size);
  }

  // Answers nxsCreateBufferFromHandle.
  HostBuffer(const HostAddress &memory, uint64_t size) : size_(size) {
    if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1 byte");
    if (memory.handle == 0) throw Error(NXS_InvalidHostPtr, "handle is 0, which is no address");
    data_ = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(memory.handle)) + memory.offset;
  }

  // Answers nxsImportBuffer.
  explicit HostBuffer(ProcessMemory opened)
      : size_(opened.size()), data_(opened.data()), shared_(std::move(opened)) {}

  uint64_t size() const noexcept { return size_; }
  std::byte *data() const noexcept { return data_; }
  uint64_t address() const noexcept { return reinterpret_cast<uintptr_t>(data_); }
  const ProcessMemory &shared() const noexcept { return shared_; }

  // One mapping more; its memory is what the buffer has from offset on.
  std::byte *map(uint64_t offset) noexcept {
    mappings_.fetch_add(1, std::memory_order_relaxed);
    return data_ + offset;
  }

  // One less. Throws NXS_InvalidValue where pointer is in no mapping.
  void unmap(const void *pointer) {
    const auto *byte = static_cast<const std::byte *>(pointer);
    const bool inside = !std::less<>()(byte, data_) && !std::less<>()(data_ + size_, byte);
    uint32_t count = mappings_.load(std::memory_order_relaxed);
    do {
      if (!inside || count == 0) {
        throw Error(NXS_InvalidValue,
                    "pointer is no mapping of the buffer; pass what mapping gave");
      }
    } while (!mappings_.compare_exchange_weak(count, count - 1, std::memory_order_relaxed));
  }

 private:
  struct Free {
    void operator()(std::byte *memory) const noexcept {
      ::operator delete(memory, std::align_val_t{kAlignment});
    }
  };

  static std::byte *maintained(nxs_buffer_settings settings, void *host_ptr) {
    if (host_ptr == nullptr) {
      throw Error(NXS_InvalidHostPtr, "host_ptr is NULL; Maintain needs the memory to use");
    }
    if ((settings & NXS_BufferSettings_Shareable) != 0) {
      throw Error(NXS_NotSupported,
                  "settings have Maintain and Shareable; memory of the caller's stays the "
                  "process's own");
    }
    return static_cast<std::byte *>(host_ptr);
  }

  static std::byte *allocate(uint64_t size) {
    // Some libraries round a size up without a look at its overflow, so none comes near that.
    void *memory = size > PTRDIFF_MAX
                       ? nullptr
                       : ::operator new(size, std::align_val_t{kAlignment}, std::nothrow);
    if (memory != nullptr) return static_cast<std::byte *>(memory);
    throw Error(NXS_MemObjectAllocationFailure, "the host has no memory for a buffer of ", size,
                " bytes; release buffers or make a smaller one");
  }

  uint64_t size_;
  std::byte *data_ = nullptr;
  std::unique_ptr<std::byte, Free> owned_;  // empty where the memory is somebody else's, or shared
  ProcessMemory shared_;
  std::atomic<uint32_t> mappings_{0};
};

// Work that copies between part of a buffer and memory of the caller's.
// Statuses: as nxsCopyBuffer. Buffer is HostBuffer or has its size() and data().
template <class Buffer>
class HostTransfer {
 public:
  static HostTransfer read(Ref<Buffer> buffer, uint64_t offset, void *host_ptr, uint64_t size) {
    check_ends(*buffer, offset, host_ptr, size);
    const std::byte *from = buffer->data() + offset;
    return HostTransfer(std::move(buffer), host_ptr, from, size);
  }
  static HostTransfer write(Ref<Buffer> buffer, uint64_t offset, const void *host_ptr,
                            uint64_t size) {
    check_ends(*buffer, offset, host_ptr, size);
    std::byte *to = buffer->data() + offset;
    return HostTransfer(std::move(buffer), to, host_ptr, size);
  }

  void operator()() const noexcept {
    if (size_ != 0) std::memcpy(to_, from_, size_);
  }

 private:
  HostTransfer(Ref<Buffer> buffer, void *to, const void *from, uint64_t size)
      : buffer_(std::move(buffer)), to_(to), from_(from), size_(size) {}

  static void check_ends(const Buffer &buffer, uint64_t offset, const void *host_ptr,
                         uint64_t size) {
    check_range("offset", offset, size, buffer.size());
    check_host_pointer(host_ptr, size);
  }

  Ref<Buffer> buffer_;
  void *to_;
  const void *from_;
  uint64_t size_;
};

// Work that copies from buffer to buffer, or fills. Buffer is HostBuffer or has its size() and
// data().
template <class Buffer>
struct HostCopy : BufferTransfer<Buffer> {
  explicit HostCopy(BufferTransfer<Buffer> checked) : BufferTransfer<Buffer>(std::move(checked)) {}

  void operator()() const noexcept {
    const auto &to = this->to();
    const auto &from = this->from();
    if (this->is_copy()) {
      std::memcpy(to.buffer->data() + to.offset, from.buffer->data() + from.offset, to.size);
    } else {
      this->pattern().repeat(to.buffer->data() + to.offset, to.size);
    }
  }
};

}  // namespace nexus_plugin

// Defines nxsMapBuffer, nxsUnmapBuffer, nxsCreateBufferFromHandle, nxsExportBuffer and
// nxsImportBuffer for HostBuffers. What streams has takes a function as submit().
//   NEXUS_PLUGIN_HOST_MEMORY(devices, buffers, streams)
#define NEXUS_PLUGIN_HOST_MEMORY(devices, buffers, streams)                                        \
  extern "C" nxs_status nxsMapBuffer(nxs_id stream, const nxs_buffer_range *range,                 \
                                     nxs_map_access access, void **out_pointer,                    \
                                     nxs_ticket *out_ticket) {                                     \
    return nexus_plugin::guarded(out_ticket, [&] {                                                 \
      nexus_plugin::check_settings(access, NXS_MapAccess_Read | NXS_MapAccess_Write);              \
      const auto mapped = nexus_plugin::pin_range(buffers, range, "range");                        \
      void *&pointer = *nexus_plugin::check_pointer(out_pointer, "out_pointer");                   \
      const nxs_ticket ticket = (streams).pin(stream)->submit([] {});                              \
      pointer = mapped.buffer->map(mapped.offset);                                                 \
      return ticket;                                                                               \
    });                                                                                            \
  }                                                                                                \
  extern "C" nxs_status nxsUnmapBuffer(nxs_id stream, nxs_id buffer, void *pointer,                \
                                       nxs_ticket *out_ticket) {                                   \
    return nexus_plugin::guarded(out_ticket, [&] {                                                 \
      (buffers).pin(buffer)->unmap(pointer);                                                       \
      return (streams).pin(stream)->submit([] {});                                                 \
    });                                                                                            \
  }                                                                                                \
  extern "C" nxs_status nxsCreateBufferFromHandle(nxs_id device, uint64_t handle, uint64_t offset, \
                                                  uint64_t size, nxs_id *out_buffer) {             \
    return nexus_plugin::guarded(out_buffer, [&] {                                                 \
      (devices).pin(device);                                                                       \
      return (buffers).create(nexus_plugin::HostAddress{handle, offset}, size);                    \
    });                                                                                            \
  }                                                                                                \
  extern "C" nxs_status nxsExportBuffer(nxs_id buffer, const nxs_sink *handle) {                   \
    return nexus_plugin::guarded([&] {                                                             \
      const auto exported = (buffers).pin(buffer);                                                 \
      nexus_plugin::export_memory(exported->shared(), nexus_plugin::check_sink(handle, "handle")); \
    });                                                                                            \
  }                                                                                                \
  extern "C" nxs_status nxsImportBuffer(nxs_id device, const void *handle, uint64_t size,          \
                                        nxs_id *out_buffer) {                                      \
    return nexus_plugin::guarded(out_buffer, [&] {                                                 \
      (devices).pin(device);                                                                       \
      const auto *text = static_cast<const char *>(nexus_plugin::check_pointer(handle, "handle")); \
      return (buffers).create(                                                                     \
          nexus_plugin::ProcessMemory::open({text, static_cast<std::size_t>(size)}));              \
    });                                                                                            \
  }

#endif  // NEXUS_PLUGIN_HOST_MEMORY_HPP_
