// SPDX-License-Identifier: Apache-2.0
#include "memory/buffer.hpp"

#include "device/device_memory.hpp"
#include "stream/stream.hpp"

#include <cstring>
#include <functional>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

namespace {

constexpr nxs_buffer_settings kManaged = NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;
constexpr nxs_buffer_settings kBufferSettings =
    kManaged | NXS_BufferSettings_Maintain | NXS_BufferSettings_Shareable;

MemoryKind kind_of(nxs_buffer_settings settings) {
  const bool shared = (settings & NXS_BufferSettings_Shareable) != 0;
  if ((settings & NXS_BufferSettings_Maintain) != 0) return MemoryKind::kMaintained;
  if ((settings & kManaged) == kManaged) return MemoryKind::kManaged;
  if ((settings & NXS_BufferSettings_OnHost) != 0) {
    return shared ? MemoryKind::kSharedHost : MemoryKind::kHost;
  }
  return shared ? MemoryKind::kShared : MemoryKind::kDevice;
}

MemoryPlace place_of(MemoryKind kind) {
  if (kind == MemoryKind::kManaged) return MemoryPlace::kManaged;
  const bool on_device = kind == MemoryKind::kDevice || kind == MemoryKind::kShared;
  return on_device ? MemoryPlace::kDevice : MemoryPlace::kHost;
}

std::byte *allocate_host(Device &device, uint64_t size) {
  void *memory = nullptr;
  const CUresult result =
      cu.MemHostAlloc(&memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    throw Error::with_native_code(result, NXS_OutOfHostMemory, "the host has no ", size,
                                  " bytes of page-locked memory left (", answer_of(result),
                                  "); release buffers or make a smaller one");
  }
  device.check(result, join("making a buffer of ", size, " bytes in host memory"));
  return static_cast<std::byte *>(memory);
}

CUdeviceptr allocate_managed(Device &device, uint64_t size) {
  if (!device.has_managed_memory()) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' has no managed memory; give OnHost or OnDevice");
  }
  CUdeviceptr address = 0;
  device.check(device.state().memory.with_room(
                   [&] { return cu.MemAllocManaged(&address, size, CU_MEM_ATTACH_GLOBAL); }),
               join("making a buffer of ", size, " bytes of managed memory"));
  return address;
}

// Returns a function that ends the page-lock of the pages, and then frees them.
std::function<void()> unlocking(ProcessMemory pages) {
  const auto kept = Shared<ProcessMemory>::make(std::move(pages));
  return [kept] { unregister_memory(kept->data()); };
}

// Frees memory after the work that is in the streams now.
void free_memory(Device &device, MemoryKind kind, MemoryBlock block, std::byte *host,
                 StreamSet users) noexcept {
  DeviceMemory &memory = device.state().memory;
  const CUdeviceptr address = block.address;
  switch (kind) {
    case MemoryKind::kDevice:
      return memory.free(block, users);
    case MemoryKind::kManaged:
    case MemoryKind::kShared:
      return memory.free_after(users,
                               [address] { log_unreleased(cu.MemFree(address), kFreeingMemory); });
    case MemoryKind::kHost:
      return memory.free_after(users,
                               [host] { log_unreleased(cu.MemFreeHost(host), kFreeingMemory); });
    case MemoryKind::kMaintained:  // at once if no work uses it, so that the caller may free it
      if (device.state().stream_pool.busy(users).empty()) return unregister_memory(host);
      return memory.free_after(users, [host] { unregister_memory(host); });
    case MemoryKind::kImported:
      return memory.free_after(
          users, [address] { log_unreleased(cu.IpcCloseMemHandle(address), kFreeingMemory); });
    case MemoryKind::kSharedHost:  // see Buffer::free_pages()
    case MemoryKind::kBorrowed:
    case MemoryKind::kForeign:
      return;
  }
}

void check_shareable(const Device &device, nxs_buffer_settings settings) {
  if ((settings & kManaged) == kManaged) {
    throw Error(
        NXS_NotSupported,
        "settings are Shareable with OnHost and OnDevice, and processes can't share managed "
        "memory; make the buffer on the device or on the host");
  }
  if (!device.shares_memory()) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' shares no memory with other processes (as under WSL); leave Shareable out");
  }
}

nxs_id create_buffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr) {
  nexus_plugin::check_new_buffer(size, settings, host_ptr, kBufferSettings, device.memory_size());
  if ((settings & NXS_BufferSettings_Shareable) != 0) check_shareable(device, settings);
  return buffers.create(device, size, settings, host_ptr);
}

}  // namespace

// ---- Memory -----------------------------------------------------------

Buffer::Buffer(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr)
    : device_(&device), size_(size), kind_(kind_of(settings)), place_(place_of(kind_)) {
  device.refuse_lost();
  const CurrentContext current(device);
  allocate(host_ptr);
  try {
    if (host_ptr != nullptr && kind_ != MemoryKind::kMaintained) {
      host_ != nullptr ? static_cast<void>(std::memcpy(host_, host_ptr, size))
                       : copy_into_new(*this, host_ptr);
    }
  } catch (...) {
    free();
    throw;
  }
}

Buffer::Buffer(Device &device, FoundMemory memory)
    : device_(&device),
      size_(memory.size),
      kind_(memory.kind),
      place_(memory.place),
      address_(memory.address),
      host_(memory.host),
      owner_(std::move(memory.owner)),
      pages_(std::move(memory.pages)) {
  if (kind_ == MemoryKind::kSharedHost) lock_pages();
}

void Buffer::allocate(void *host_ptr) {
  DeviceMemory &memory = device_->state().memory;
  switch (kind_) {
    case MemoryKind::kDevice:
      address_ = memory.allocate(size_);
      break;
    case MemoryKind::kShared:
      address_ = memory.allocate_shareable(size_);
      break;
    case MemoryKind::kManaged:
      address_ = allocate_managed(*device_, size_);
      host_ = reinterpret_cast<std::byte *>(address_);
      break;
    case MemoryKind::kHost:
      host_ = allocate_host(*device_, size_);
      find_address();
      break;
    case MemoryKind::kMaintained:
      register_memory(*device_, host_ptr, size_);
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
  counted_ = kind_ != MemoryKind::kMaintained &&
             (kind_ != MemoryKind::kDevice || memory.pool() == nullptr);
  if (counted_) memory.count(static_cast<int64_t>(size_));
}

void Buffer::lock_pages() {
  register_memory(*device_, pages_.data(), size_);
  host_ = pages_.data();
  find_address();
}

// Sets the device's address of host memory. Frees the memory if that fails.
void Buffer::find_address() {
  try {
    device_->check(cu.MemHostGetDevicePointer(&address_, host_, 0),
                   "asking for the device's address of host memory");
  } catch (...) {
    free();
    throw;
  }
}

Buffer::~Buffer() {
  try {
    const CurrentContext current(*device_);
    free();
  } catch (const std::exception &) {
    free_without_context();
  }
}

void Buffer::free() noexcept {
  DeviceMemory &memory = device_->state().memory;
  const StreamSet users = users_.load(std::memory_order_relaxed);
  if (std::exchange(counted_, false)) memory.count(-static_cast<int64_t>(size_));
  if (kind_ == MemoryKind::kBorrowed) owner_->users_.fetch_or(users, std::memory_order_relaxed);
  if (kind_ == MemoryKind::kSharedHost) return free_pages(users);
  free_memory(*device_, kind_, {address_, size_}, host_, users);
}

void Buffer::free_pages(StreamSet users) noexcept {
  try {
    device_->state().memory.free_after(users, unlocking(std::move(pages_)));
  } catch (const std::bad_alloc &) {  // they stay page-locked
  }
}

// Frees the memory later if the context could not be made current. On a lost device it is not
// freed.
void Buffer::free_without_context() noexcept {
  const StreamSet users = users_.load(std::memory_order_relaxed);
  if (kind_ == MemoryKind::kBorrowed) owner_->users_.fetch_or(users, std::memory_order_relaxed);
  if (kind_ == MemoryKind::kBorrowed || kind_ == MemoryKind::kForeign) return;
  try {
    if (kind_ == MemoryKind::kSharedHost) {
      return device_->state().frees.add_when_idle(users, unlocking(std::move(pages_)));
    }
    device_->state().frees.add_when_idle(
        users, [device = device_, kind = kind_, block = MemoryBlock{address_, size_},
                host = host_] { free_memory(*device, kind, block, host, 0); });
  } catch (const std::exception &) {  // it is not freed
  }
}

// ---- Mappings ---------------------------------------------------------

void *Buffer::map(uint64_t offset) {
  if (host_ == nullptr) {
    throw Error(NXS_NotSupported, "the host can't access the memory of a buffer on the device '",
                device_->name(), "'; copy it, or make the buffer OnHost or managed");
  }
  mappings_.add();
  return host_ + offset;
}

namespace {

// Returns DLPack's device type and number. Memory of the host has the number 0.
std::vector<int64_t> dlpack_device(MemoryPlace place, int ordinal) {
  return {static_cast<int64_t>(place), place == MemoryPlace::kDevice ? ordinal : 0};
}

constexpr auto buffer_properties = nexus_plugin::property_table<Buffer>({
    {NP_Size, member<&Buffer::size>},
    {NP_NativeHandle, member<&Buffer::address>},
    {NP_DLPackDevice,
     [](const Buffer &buffer) -> Value {
       return dlpack_device(buffer.place(), buffer.device().ordinal());
     }},
});

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)

NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->mark())
