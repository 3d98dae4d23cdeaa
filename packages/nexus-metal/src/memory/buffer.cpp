// SPDX-License-Identifier: Apache-2.0
#include "memory/buffer.hpp"

#include "stream/stream.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <nexus-plugin/base/property_table.hpp>

namespace nexus_metal NXS_HIDDEN {

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

namespace {

constexpr nxs_buffer_settings kManaged = NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice;
constexpr nxs_buffer_settings kBufferSettings = kManaged | NXS_BufferSettings_Maintain;
constexpr nxs_buffer_settings kForHost = NXS_BufferSettings_OnHost | NXS_BufferSettings_Maintain;

constexpr uint64_t kLargestElement = 16;  // bytes of a vector of four

// Metal uses memory of the caller's in whole pages only.
Owned over_host_memory(const Device &device, void *host_ptr, uint64_t size) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (!device.unified()) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' has memory of its own; leave Maintain out");
  }
  if (reinterpret_cast<uintptr_t>(host_ptr) % page != 0 || size % page != 0) {
    throw Error(NXS_InvalidHostPtr, "host_ptr is ", reinterpret_cast<uintptr_t>(host_ptr), " with ",
                size, " bytes; with Maintain Metal needs whole pages of ", page,
                " bytes, so copy the memory instead");
  }
  return made(
      msg.new_buffer_over(device.get(), host_ptr, size, MTLResourceStorageModeShared, nullptr),
      NXS_MemObjectAllocationFailure, join("making a buffer over ", size, " bytes"));
}

Owned make_memory(const Device &device, uint64_t size, nxs_buffer_settings settings,
                  void *host_ptr) {
  const Pool pool;
  if ((settings & NXS_BufferSettings_Maintain) != 0) {
    return over_host_memory(device, host_ptr, size);
  }
  if ((settings & kManaged) == kManaged && !device.unified()) {
    throw Error(NXS_NotSupported, "the device '", device.name(),
                "' has no managed memory; give OnHost or OnDevice");
  }
  const bool shared = device.unified() || (settings & NXS_BufferSettings_OnHost) != 0;
  const NSUInteger mode = shared ? MTLResourceStorageModeShared : MTLResourceStorageModePrivate;
  // Metal's validation wants an argument to have at least one element.
  const NSUInteger length = std::max(size, kLargestElement);
  Owned memory = made(msg.new_buffer(device.get(), length, mode), NXS_MemObjectAllocationFailure,
                      join("making a buffer of ", size, " bytes"));
  if (host_ptr == nullptr) return memory;
  if (shared) {
    std::memcpy(msg.contents(memory.get()), host_ptr, size);
    return memory;
  }
  run_now(device, [&](Commands &commands) {
    commands.copy({memory.get(), 0}, {staged(device, host_ptr, size).get(), 0}, size);
  });
  return memory;
}

// Returns their address for the host; NULL for private memory.
std::byte *contents_of(const Owned &memory) {
  const Pool pool;
  return static_cast<std::byte *>(msg.contents(memory.get()));
}

nxs_id create_buffer(const Device &device, uint64_t size, nxs_buffer_settings settings,
                     void *host_ptr) {
  check_new_buffer(size, settings, host_ptr, kBufferSettings, device.max_buffer_size());
  return buffers.create(device, size, settings, host_ptr);
}

nxs_ticket read(Stream &stream, const Buffer &from, uint64_t offset, void *host_ptr,
                uint64_t size) {
  return stream.submit([&](Commands &commands) {
    if (size == 0) return;
    Owned staging =
        made(msg.new_buffer(stream.device().get(), size, MTLResourceStorageModeShared),
             NXS_MemObjectAllocationFailure, join("making ", size, " bytes of memory for a copy"));
    commands.copy({staging.get(), 0}, from.at(offset), size);
    commands.copy_to_host({host_ptr, std::move(staging), size});
  });
}

nxs_ticket write(Stream &stream, const Buffer &to, uint64_t offset, const void *host_ptr,
                 uint64_t size) {
  return stream.submit([&](Commands &commands) {
    if (size == 0) return;
    const Owned staging = staged(stream.device(), host_ptr, size);
    commands.copy(to.at(offset), {staging.get(), 0}, size);
  });
}

constexpr auto buffer_properties = property_table<Buffer>({
    {NP_Size, member<&Buffer::size>},
    {NP_NativeHandle, member<&Buffer::handle>},
    {NP_DLPackDevice, member<&Buffer::dlpack_device>},
});

}  // namespace

Owned staged(const Device &device, const void *bytes, uint64_t size) {
  return made(msg.new_buffer_of(device.get(), bytes, size, MTLResourceStorageModeShared),
              NXS_MemObjectAllocationFailure, join("making ", size, " bytes of memory for a copy"));
}

Buffer::Buffer(const Device &device, uint64_t size, nxs_buffer_settings settings, void *host_ptr)
    : device_(&device),
      size_(size),
      memory_(make_memory(device, size, settings, host_ptr)),
      contents_((settings & kForHost) == 0 ? nullptr : contents_of(memory_)) {}

Buffer::Buffer(const Device &device, id memory, uint64_t offset, uint64_t size)
    : device_(&device), size_(size), begin_(offset), contents_(nullptr) {
  if (memory == nullptr) throw Error(NXS_InvalidHostPtr, "handle is 0; give an MTLBuffer");
  if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0; it must be at least 1");
  const Pool pool;
  if (msg.owner(memory) != device.get()) {
    throw Error(NXS_InvalidHostPtr, "handle is an MTLBuffer of another device than '",
                device.name(), "'");
  }
  const NSUInteger length = msg.length(memory);
  if (offset > length || size > length - offset) {
    throw Error(NXS_InvalidBufferSize, "offset is ", offset, " and size ", size,
                ", and the MTLBuffer has ", length, " bytes; give a range within it");
  }
  memory_ = Owned::retained(memory);
}

std::vector<int64_t> Buffer::dlpack_device() const {
  if (contents_ != nullptr) return {kDLPackHost, 0};
  return device_->dlpack_device();
}

void *Buffer::map(uint64_t offset) {
  if (contents_ == nullptr) {
    throw Error(NXS_NotSupported, "the buffer is in the memory of the device '", device_->name(),
                "'; copy it, or make it with OnHost");
  }
  mappings_.add();
  return contents_ + offset;
}

}  // namespace nexus_metal

using namespace nexus_metal;

NEXUS_PLUGIN_OBJECT(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_RESULT(CreateBufferFromHandle,
                    (nxs_id device, uint64_t handle, uint64_t offset, uint64_t size, nxs_id *out),
                    buffers.create(device_of(device),
                                   reinterpret_cast<id>(static_cast<uintptr_t>(handle)), offset,
                                   size))
NEXUS_PLUGIN_HOST_COPIES(buffers, streams, read(*queue, *buffer, offset, host_ptr, size),
                         write(*queue, *buffer, offset, host_ptr, size))
NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->mark())
