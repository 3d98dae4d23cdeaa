// SPDX-License-Identifier: Apache-2.0
// Buffers: what they are made of, and how their memory is freed. Beside the members in
// host_copy.hpp, G has
//
//   // DLPack's types of memory, which may be equal.
//   static constexpr int64_t kDLPackDevice = ..., kDLPackHost = ..., kDLPackManaged = ...;
//   static Result allocate_managed(Address *out, uint64_t size) noexcept;  // for free()
//   // Asks for the device's address of page-locked memory.
//   static Result device_address(Address *out, void *host) noexcept;
//   static Result close_memory(Address address) noexcept;  // of another process
//
// and its Device has memory_size(), has_managed_memory() and shares_memory().
#ifndef NEXUS_PLUGIN_GPU_BUFFER_HPP_
#define NEXUS_PLUGIN_GPU_BUFFER_HPP_

#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/gpu/host_copy.hpp>
#include <nexus-plugin/gpu/known_memory.hpp>
#include <nexus-plugin/memory/buffer.hpp>
#include <nexus-plugin/memory/process_memory.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Kinds of memory, which are freed in different ways.
enum class MemoryKind {
  kDevice,      // of DeviceMemory
  kHost,        // page-locked host memory
  kManaged,     // managed memory, which the driver moves between host and device
  kMaintained,  // the caller's host memory, page-locked as long as the buffer lives
  kShared,      // device memory that other processes can open
  kSharedHost,  // host memory that processes share, page-locked as long as the buffer lives
  kImported,    // device memory of another process
  kBorrowed,    // memory of another buffer, which is kept
  kForeign,     // memory that the program, another library or unloading code frees
};

template <class G>
class Buffer;

// Existing memory for a buffer.
template <class G>
struct FoundMemory {
  MemoryKind kind;
  MemoryPlace place = MemoryPlace::kDevice;
  uint64_t size = 0;                    // bytes
  typename G::Address address = 0;      // for the device; not set for kSharedHost
  std::byte *host = nullptr;            // for the host; NULL if it can't access the memory
  Ref<Buffer<G>> owner{};               // for kBorrowed
  std::shared_ptr<const void> keeps{};  // what frees the memory of kForeign, if the buffer keeps it
  ProcessMemory pages{};                // for kSharedHost
};

// Its memory is freed after the work that uses it.
template <class G>
class Buffer {
 public:
  using Device = typename G::Device;
  using Address = typename G::Address;

  // Implements nxsCreateBuffer.
  Buffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr)
      : device_(&device), size_(size), kind_(kind_of(settings)), place_(place_of(kind_)) {
    check_new_buffer(size, settings, host_ptr, kSettings, device.memory_size());
    if ((settings & NXS_BufferSettings_Shareable) != 0) check_shareable(device, settings);
    device.refuse_lost();
    const typename G::Use current(device);
    allocate(host_ptr);
    try {
      if (host_ptr != nullptr && kind_ != MemoryKind::kMaintained) {
        host_ != nullptr ? static_cast<void>(std::memcpy(host_, host_ptr, size))
                         : HostCopy<G>::write_new(device, address_, host_ptr, size);
      }
    } catch (...) {
      free();
      throw;
    }
  }
  // For kSharedHost the device must be current. Throws if it can't be page-locked.
  Buffer(Device &device, FoundMemory<G> memory)
      : device_(&device),
        size_(memory.size),
        kind_(memory.kind),
        place_(memory.place),
        address_(memory.address),
        host_(memory.host),
        owner_(std::move(memory.owner)),
        keeps_(std::move(memory.keeps)),
        pages_(std::move(memory.pages)) {
    if (kind_ == MemoryKind::kSharedHost) lock_pages();
  }
  ~Buffer() {
    try {
      const typename G::Use current(*device_);
      free();
    } catch (const std::exception &) {
      free_without_context();
    }
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Device &device() const noexcept { return *device_; }
  uint64_t size() const noexcept { return size_; }
  MemoryKind kind() const noexcept { return kind_; }
  Address address() const noexcept { return address_; }  // for the device
  // Returns the memory of kSharedHost.
  const ProcessMemory &pages() const noexcept { return pages_; }

  // Returns DLPack's device type and number. Memory of the host has the number 0.
  std::vector<int64_t> dlpack_device() const {
    const int64_t type = place_ == MemoryPlace::kDevice ? G::kDLPackDevice
                         : place_ == MemoryPlace::kHost ? G::kDLPackHost
                                                        : G::kDLPackManaged;
    return {type, type == G::kDLPackDevice ? device_->ordinal() : 0};
  }

  // Notes that work of the stream uses the memory.
  void used_in(const Pooled<G> &pooled) const noexcept {
    const StreamSet bit = stream_bit(pooled.index);
    if ((users_.load(std::memory_order_relaxed) & bit) == 0) {
      users_.fetch_or(bit, std::memory_order_relaxed);
    }
  }

  // Implement nxsCopyBuffer and nxsWriteBuffer.
  nxs_ticket read(Stream<G> &stream, uint64_t offset, void *to, uint64_t size) const {
    if (size == 0) return stream.mark();
    const typename G::Use current(*device_);
    used_in(stream.pooled());
    return HostCopy<G>::read(stream, address_ + offset, to, size);
  }
  nxs_ticket write(Stream<G> &stream, uint64_t offset, const void *from, uint64_t size) const {
    if (size == 0) return stream.mark();
    const typename G::Use current(*device_);
    used_in(stream.pooled());
    return HostCopy<G>::write(stream, address_ + offset, from, size);
  }

  // Implement nxsMapBuffer and nxsUnmapBuffer, which only count.
  void *map(uint64_t offset) {
    if (host_ == nullptr) {
      throw Error(NXS_NotSupported, "the host can't access the memory of a buffer on the device '",
                  device_->name(), "'; copy it, or make the buffer OnHost or managed");
    }
    mappings_.add();
    return host_ + offset;
  }
  void unmap(const void *pointer) { mappings_.remove(pointer, host_, size_); }

 private:
  static constexpr nxs_buffer_settings kManaged =
      NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;
  static constexpr nxs_buffer_settings kSettings =
      kManaged | NXS_BufferSettings_Maintain | NXS_BufferSettings_Shareable;

  static MemoryKind kind_of(nxs_buffer_settings settings) {
    const bool shared = (settings & NXS_BufferSettings_Shareable) != 0;
    if ((settings & NXS_BufferSettings_Maintain) != 0) return MemoryKind::kMaintained;
    if ((settings & kManaged) == kManaged) return MemoryKind::kManaged;
    if ((settings & NXS_BufferSettings_OnHost) != 0) {
      return shared ? MemoryKind::kSharedHost : MemoryKind::kHost;
    }
    return shared ? MemoryKind::kShared : MemoryKind::kDevice;
  }

  static MemoryPlace place_of(MemoryKind kind) {
    if (kind == MemoryKind::kManaged) return MemoryPlace::kManaged;
    const bool on_device = kind == MemoryKind::kDevice || kind == MemoryKind::kShared;
    return on_device ? MemoryPlace::kDevice : MemoryPlace::kHost;
  }

  static void check_shareable(const Device &device, nxs_buffer_settings settings) {
    if ((settings & kManaged) == kManaged) {
      throw Error(NXS_NotSupported,
                  "settings are Shareable with OnHost and OnDevice, and processes can't share "
                  "managed memory; make the buffer on the device or on the host");
    }
    check_sharing(device);
  }

  void allocate(void *host_ptr) {
    DeviceMemory<G> &memory = device_->state().memory;
    switch (kind_) {
      case MemoryKind::kDevice:
        address_ = memory.allocate(size_);
        break;
      case MemoryKind::kShared:
        address_ = memory.allocate_shareable(size_);
        break;
      case MemoryKind::kManaged:
        address_ = allocate_managed();
        host_ = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(address_));
        break;
      case MemoryKind::kHost:
        host_ = allocate_host();
        find_address();
        break;
      case MemoryKind::kMaintained:
        PageLocks<G>::lock(*device_, host_ptr, size_);
        host_ = static_cast<std::byte *>(host_ptr);
        find_address();
        break;
      case MemoryKind::kSharedHost:
        pages_ = ProcessMemory::make(size_);
        lock_pages();
        break;
      case MemoryKind::kImported:
      case MemoryKind::kBorrowed:
      case MemoryKind::kForeign:
        break;  // not allocated here
    }
    counted_ = kind_ != MemoryKind::kMaintained && kind_ != MemoryKind::kDevice;
    if (counted_) memory.count(static_cast<int64_t>(size_));
  }

  Address allocate_managed() {
    if (!device_->has_managed_memory()) {
      throw Error(NXS_NotSupported, "the device '", device_->name(),
                  "' has no managed memory; give OnHost or OnDevice");
    }
    Address address = 0;
    device_->check(
        device_->state().memory.with_room([&] { return G::allocate_managed(&address, size_); }),
        join("making a buffer of ", size_, " bytes of managed memory"));
    return address;
  }

  std::byte *allocate_host() {
    void *memory = nullptr;
    const Result result = G::allocate_host(&memory, size_);
    if (result == G::kOutOfMemory) {
      throw Error::with_native_code(result, NXS_OutOfHostMemory, "the host has no ", size_,
                                    " bytes of page-locked memory left (",
                                    G::errors.answer_of(result),
                                    "); release buffers or make a smaller one");
    }
    device_->check(result, join("making a buffer of ", size_, " bytes in host memory"));
    return static_cast<std::byte *>(memory);
  }

  void lock_pages() {
    PageLocks<G>::lock(*device_, pages_.data(), size_);
    host_ = pages_.data();
    find_address();
  }

  // Sets the device's address of host memory. Frees the memory if that fails.
  void find_address() {
    try {
      device_->check(G::device_address(&address_, host_),
                     "asking for the device's address of host memory");
    } catch (...) {
      free();
      throw;
    }
  }

  void free() noexcept {
    const StreamSet users = end_use();
    if (kind_ == MemoryKind::kSharedHost) return free_pages(users);
    free_memory(*device_, kind_, {address_, size_}, host_, users);
  }
  // Called before the memory is freed. Returns the streams that may have work with it.
  StreamSet end_use() noexcept {
    const StreamSet users = users_.load(std::memory_order_relaxed);
    if (std::exchange(counted_, false)) {
      device_->state().memory.count(-static_cast<int64_t>(size_));
    }
    if (kind_ == MemoryKind::kBorrowed) owner_->users_.fetch_or(users, std::memory_order_relaxed);
    return users;
  }

  // Frees memory after the work that is in the streams now.
  static void free_memory(Device &device, MemoryKind kind, MemoryBlock<Address> block,
                          std::byte *host, StreamSet users) noexcept {
    DeviceMemory<G> &memory = device.state().memory;
    const auto free_by = [&](auto free) {
      memory.free_after(users, [free] { G::errors.log_unreleased(free(), kFreeingMemory); });
    };
    switch (kind) {
      case MemoryKind::kDevice:
        return memory.free(block, users);
      case MemoryKind::kManaged:
      case MemoryKind::kShared:
        return free_by([address = block.address] { return G::free(address); });
      case MemoryKind::kHost:
        return free_by([host] { return G::free_host(host); });
      case MemoryKind::kImported:
        return free_by([address = block.address] { return G::close_memory(address); });
      case MemoryKind::kMaintained:  // at once if no work uses it, so that the caller may free it
        if (device.state().stream_pool.busy(users).empty()) return PageLocks<G>::unlock(host);
        return memory.free_after(users, [host] { PageLocks<G>::unlock(host); });
      case MemoryKind::kSharedHost:  // see free_pages()
      case MemoryKind::kBorrowed:
      case MemoryKind::kForeign:
        return;
    }
  }

  void free_pages(StreamSet users) noexcept {
    try {
      device_->state().memory.free_after(users, unlocking(std::move(pages_)));
    } catch (const std::bad_alloc &) {  // they stay page-locked
    }
  }

  // Frees the memory later if the device could not be made current. On a lost device it is not
  // freed.
  void free_without_context() noexcept {
    const StreamSet users = end_use();
    if (kind_ == MemoryKind::kBorrowed || kind_ == MemoryKind::kForeign) return;
    try {
      if (kind_ == MemoryKind::kSharedHost) {
        return device_->state().frees.add_when_idle(users, unlocking(std::move(pages_)));
      }
      device_->state().frees.add_when_idle(
          users, [device = device_, kind = kind_, block = MemoryBlock<Address>{address_, size_},
                  host = host_] { free_memory(*device, kind, block, host, 0); });
    } catch (const std::exception &) {  // it is not freed
    }
  }

  // Returns a function that ends the page-lock of the pages, and then frees them.
  static std::function<void()> unlocking(ProcessMemory pages) {
    const auto kept = Shared<ProcessMemory>::make(std::move(pages));
    return [kept] { PageLocks<G>::unlock(kept->data()); };
  }

  Device *device_;
  uint64_t size_;
  MemoryKind kind_;
  MemoryPlace place_;
  Address address_ = 0;
  std::byte *host_ = nullptr;
  bool counted_ = false;  // the bytes are in DeviceMemory::count()
  mutable std::atomic<StreamSet> users_{0};
  MappingCount mappings_;
  Ref<Buffer> owner_;
  std::shared_ptr<const void> keeps_;
  ProcessMemory pages_;
};

template <class G>
inline constexpr auto buffer_properties = property_table<Buffer<G>>({
    {NP_Size, member<&Buffer<G>::size>},
    {NP_NativeHandle, member<&Buffer<G>::address>},
    {NP_DLPackDevice, member<&Buffer<G>::dlpack_device>},
});

}  // namespace gpu
}  // namespace nexus_plugin

// Defines the functions of the C-API that make, copy, map and release buffers.
//   NEXUS_PLUGIN_GPU_BUFFERS(Gpu, devices, buffers, streams)
#define NEXUS_PLUGIN_GPU_BUFFERS(Gpu, devices, buffers, streams)                           \
  NEXUS_PLUGIN_OBJECT(Buffer, buffers, nexus_plugin::gpu::buffer_properties<Gpu>)          \
  NEXUS_PLUGIN_CREATE_BUFFER(devices, (buffers).create)                                    \
  NEXUS_PLUGIN_HOST_COPIES(buffers, streams, buffer->read(*queue, offset, host_ptr, size), \
                           buffer->write(*queue, offset, host_ptr, size))                  \
  NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->mark())

#endif  // NEXUS_PLUGIN_GPU_BUFFER_HPP_
