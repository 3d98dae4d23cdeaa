// SPDX-License-Identifier: Apache-2.0
// Buffers in host memory, with their copies and fills, for backends whose device works in host
// memory.
#ifndef NEXUS_PLUGIN_HOST_MEMORY_HPP_
#define NEXUS_PLUGIN_HOST_MEMORY_HPP_

#include <nexus-plugin/memory/buffer.hpp>
#include <nexus-plugin/memory/process_memory.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace nexus_plugin NXS_HIDDEN {

// Memory of another owner, as nxsCreateBufferFromHandle names it; the handle is an address.
struct HostAddress {
  uint64_t handle;
  uint64_t offset;
};

// Throws the statuses of nxsCreateBuffer. Any thread may use it.
class HostBuffer {
 public:
  static constexpr std::size_t kAlignment = 64;  // a cache line, and the widest vectors
  static constexpr nxs_buffer_settings kSettings =
      NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice | NXS_BufferSettings_Maintain |
      NXS_BufferSettings_Shareable;

  HostBuffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr) : HostBuffer(size) {
    check_new_buffer(size, settings, host_ptr, kSettings, UINT64_MAX);
    if (!take_given(settings, host_ptr)) take(allocate(size), give_back, host_ptr);
  }

  // Implements nxsCreateBufferFromHandle.
  HostBuffer(const HostAddress &memory, uint64_t size) : HostBuffer(size) {
    if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1 byte");
    if (memory.handle == 0) throw Error(NXS_InvalidHostPtr, "handle is 0, which is not an address");
    data_ = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(memory.handle)) + memory.offset;
  }

  // Implements nxsImportBuffer.
  explicit HostBuffer(ProcessMemory opened)
      : size_(opened.size()), data_(opened.data()), shared_(std::move(opened)) {}

  uint64_t size() const noexcept { return size_; }
  std::byte *data() const noexcept { return data_; }
  uint64_t address() const noexcept { return reinterpret_cast<uintptr_t>(data_); }
  const ProcessMemory &shared() const noexcept { return shared_; }

  // Counts one more mapping and returns the memory from offset on.
  std::byte *map(uint64_t offset) noexcept {
    mappings_.add();
    return data_ + offset;
  }
  // Counts one less. Throws NXS_InvalidValue if pointer is not in the buffer or nothing is mapped.
  void unmap(const void *pointer) { mappings_.remove(pointer, data_, size_); }

 protected:
  // For a derived class that allocates memory itself, and gives it to take(). It has to call
  // check_new_buffer() too.
  explicit HostBuffer(uint64_t size) noexcept : size_(size) {}

  // Uses the caller's memory (Maintain) or new memory that processes share (Shareable). Returns
  // false if settings ask for neither.
  bool take_given(nxs_buffer_settings settings, void *host_ptr) {
    if ((settings & NXS_BufferSettings_Maintain) != 0) {
      data_ = static_cast<std::byte *>(host_ptr);
    } else if ((settings & NXS_BufferSettings_Shareable) != 0) {
      shared_ = ProcessMemory::make(size_);
      data_ = shared_.data();
      copy(host_ptr);
    } else {
      return false;
    }
    return true;
  }
  // Uses the memory, which free() gives back later. Copies the bytes at host_ptr to it unless that
  // is NULL.
  void take(std::byte *memory, void (*free)(std::byte *), const void *host_ptr) {
    owned_ = {memory, free};
    data_ = memory;
    copy(host_ptr);
  }

 private:
  static std::byte *allocate(uint64_t size) {
    // Some libraries round sizes up without checking for overflow, so such sizes are refused here.
    void *memory = size > PTRDIFF_MAX
                       ? nullptr
                       : ::operator new(size, std::align_val_t{kAlignment}, std::nothrow);
    if (memory != nullptr) return static_cast<std::byte *>(memory);
    throw Error(NXS_MemObjectAllocationFailure, "the host has no memory for a buffer of ", size,
                " bytes; release buffers or make a smaller one");
  }
  static void give_back(std::byte *memory) {
    ::operator delete(memory, std::align_val_t{kAlignment});
  }
  void copy(const void *host_ptr) noexcept {
    if (host_ptr != nullptr) std::memcpy(data_, host_ptr, size_);
  }

  uint64_t size_;
  std::byte *data_ = nullptr;
  // Empty if the memory belongs to another owner or is shared.
  std::unique_ptr<std::byte, void (*)(std::byte *)> owned_{nullptr, nullptr};
  ProcessMemory shared_;
  MappingCount mappings_;
};

// Work that copies between a checked range of a buffer and the caller's memory. Buffer is
// HostBuffer or has its size() and data().
template <class Buffer>
class HostTransfer {
 public:
  static HostTransfer read(Ref<Buffer> buffer, uint64_t offset, void *host_ptr, uint64_t size) {
    const std::byte *from = buffer->data() + offset;
    return HostTransfer(std::move(buffer), host_ptr, from, size);
  }
  static HostTransfer write(Ref<Buffer> buffer, uint64_t offset, const void *host_ptr,
                            uint64_t size) {
    std::byte *to = buffer->data() + offset;
    return HostTransfer(std::move(buffer), to, host_ptr, size);
  }

  void operator()() const noexcept {
    if (size_ != 0) std::memcpy(to_, from_, size_);
  }

 private:
  HostTransfer(Ref<Buffer> buffer, void *to, const void *from, uint64_t size)
      : buffer_(std::move(buffer)), to_(to), from_(from), size_(size) {}

  Ref<Buffer> buffer_;
  void *to_;
  const void *from_;
  uint64_t size_;
};

// Work that copies from buffer to buffer or fills one. Buffer is HostBuffer or has its size() and
// data().
template <class Buffer>
struct HostCopy : BufferTransfer<Buffer> {
  explicit HostCopy(BufferTransfer<Buffer> checked) : BufferTransfer<Buffer>(std::move(checked)) {}

  // queue: has submit(function), such as a WorkQueue.
  template <class Queue>
  nxs_ticket submit_to(Queue &queue) && {
    return queue.submit(std::move(*this));
  }

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

// Defines nxsCreateBufferFromHandle, nxsExportBuffer and nxsImportBuffer for HostBuffer and classes
// derived from it.
//   NEXUS_PLUGIN_HOST_MEMORY(devices, buffers)
#define NEXUS_PLUGIN_HOST_MEMORY(devices, buffers)                                                 \
  extern "C" nxs_status nxsCreateBufferFromHandle(nxs_id device, uint64_t handle, uint64_t offset, \
                                                  uint64_t size, nxs_id *out_buffer) {             \
    return nexus_plugin::guarded(out_buffer, [&] {                                                 \
      (devices).pin(device);                                                                       \
      return (buffers).create(nexus_plugin::HostAddress{handle, offset}, size);                    \
    });                                                                                            \
  }                                                                                                \
  NEXUS_PLUGIN_SHARED(Buffer, devices, buffers,                                                    \
                      nexus_plugin::export_memory(object->shared(), sink),                         \
                      (buffers).create(nexus_plugin::ProcessMemory::open(text)))

#endif  // NEXUS_PLUGIN_HOST_MEMORY_HPP_
