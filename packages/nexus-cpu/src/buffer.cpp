// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include "device.hpp"
#include "stream.hpp"
#include "transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/property_table.hpp>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::check_host_pointer;
using nexus_plugin::check_pointer;
using nexus_plugin::check_range;
using nexus_plugin::Error;
using nexus_plugin::guarded;
using nexus_plugin::ProcessMemory;
using nexus_plugin::Ref;
using nexus_plugin::Value;

constinit nexus_plugin::HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

namespace {

constexpr std::size_t kBufferAlignment = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr nxs_buffer_settings kBufferSettings =
    NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice | NXS_BufferSettings_Maintain |
    NXS_BufferSettings_Shareable;

std::byte *allocate(uint64_t size) {
  const std::size_t alignment = size >= 2 * kHugePage ? kHugePage
                                : size >= kPage       ? kPage
                                                      : kBufferAlignment;
  void *memory = nullptr;
  if (posix_memalign(&memory, alignment, static_cast<std::size_t>(size)) != 0) {
    throw Error(
        NXS_MemObjectAllocationFailure, "size is ", size,
        " bytes, and the system has no memory for them; make smaller buffers or release some");
  }
#if defined(__linux__)
  // Fewer entries of the address cache for work that streams through memory. A wish only.
  if (alignment == kHugePage) (void)madvise(memory, static_cast<std::size_t>(size), MADV_HUGEPAGE);
#endif
  return static_cast<std::byte *>(memory);
}

// Memory that this plug-in does not lay out lies where it lies.
void tell_unguarded(uint64_t size) {
  if (!GuardedMemory::wanted()) return;
  static std::once_flag told;
  std::call_once(told, [&] {
    nexus_plugin::log(NXS_LogLevel_Warning, "a buffer of ", size,
                      " bytes uses memory that it shares or that the program made, which has no "
                      "guard pages: what kernels do beyond its ends is not found; copy the data "
                      "into a new buffer to have it checked");
  });
}

}  // namespace

Buffer::Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr)
    : data_(static_cast<std::byte *>(host_ptr)), size_(size) {
  const bool in_place = (settings & NXS_BufferSettings_Maintain) != 0;
  const bool shareable = (settings & NXS_BufferSettings_Shareable) != 0;
  if (in_place || shareable) tell_unguarded(size);
  if (in_place) return;
  if (shareable) {
    shared_ = ProcessMemory::make(size);
    data_ = shared_.data();
  } else if (GuardedMemory::wanted()) {
    guarded_ = GuardedMemory(size);
    data_ = guarded_.data();
  } else {
    data_ = allocate(size);
    owned_ = true;
  }
  if (host_ptr != nullptr) std::memcpy(data_, host_ptr, static_cast<std::size_t>(size));
}

Buffer::Buffer(std::byte *data, uint64_t size) : data_(data), size_(size) {
  tell_unguarded(size);
}

Buffer::Buffer(ProcessMemory opened)
    : data_(opened.data()), size_(opened.size()), shared_(std::move(opened)) {
  tell_unguarded(size_);
}

Buffer::~Buffer() {
  if (owned_) std::free(data_);
}

void Buffer::add_mapping(void *pointer) {
  const std::lock_guard lock(mutex_);
  mappings_.push_back(pointer);
}

bool Buffer::remove_mapping(void *pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(mappings_.begin(), mappings_.end(), pointer);
  if (found == mappings_.end()) return false;
  mappings_.erase(found);
  return true;
}

namespace {

constexpr auto buffer_properties = nexus_plugin::property_table<Buffer>({
    {NP_Size, [](const Buffer &buffer) -> Value { return buffer.size(); }},
    {NP_NativeHandle,
     [](const Buffer &buffer) -> Value { return reinterpret_cast<uintptr_t>(buffer.data()); }},
});

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Buffer, buffers, buffer_properties)

extern "C" {

// The buffer is released also where this fails.
nxs_status nxsReleaseBuffer(nxs_id buffer) {
  return guarded([&] {
    const Ref<Buffer> released = buffers.release(buffer);
    if (!released->guarded()) return;
    if (const auto offset = released->guarded().find_overwritten()) {
      throw Error(NXS_InvalidMemObject, "byte ", *offset, " of a buffer of ", released->size(),
                  " bytes, before its first, was overwritten by something other than a kernel that "
                  "has the buffer as an argument");
    }
  });
}

nxs_status nxsCreateBuffer(nxs_id device, uint64_t size, nxs_buffer_settings settings,
                           void *host_ptr, nxs_id *out_buffer) {
  return guarded([&] {
    const Ref<Device> owner = devices.pin(device);
    check_pointer(out_buffer, "out_buffer");
    if ((settings & ~kBufferSettings) != 0) {
      throw Error(NXS_NotSupported, "settings is ", settings,
                  "; the CPU knows OnHost, OnDevice, Maintain and Shareable");
    }
    constexpr nxs_buffer_settings both = NXS_BufferSettings_Maintain | NXS_BufferSettings_Shareable;
    if ((settings & both) == both) {
      throw Error(NXS_NotSupported, "settings have Maintain and Shareable; memory of the caller's ",
                  "stays the process's own");
    }
    if (size == 0 || size > owner->max_buffer_size()) {
      throw Error(NXS_InvalidBufferSize, "size is ", size, " bytes; it must be from 1 to ",
                  owner->max_buffer_size(), ", the device's MaxBufferSize");
    }
    if ((settings & NXS_BufferSettings_Maintain) != 0 && host_ptr == nullptr) {
      throw Error(NXS_InvalidHostPtr,
                  "host_ptr is NULL; with Maintain it must point to the memory to use");
    }
    *out_buffer = buffers.create(size, settings, host_ptr);
  });
}

nxs_status nxsCreateBufferFromHandle(nxs_id device, uint64_t handle, uint64_t offset, uint64_t size,
                                     nxs_id *out_buffer) {
  return guarded([&] {
    devices.pin(device);
    check_pointer(out_buffer, "out_buffer");
    if (size == 0) throw Error(NXS_InvalidBufferSize, "size is 0 bytes; it must be at least 1");
    if (handle == 0) throw Error(NXS_InvalidHostPtr, "handle is 0, which is no address");
    auto *const start = reinterpret_cast<std::byte *>(static_cast<uintptr_t>(handle));
    *out_buffer = buffers.create(start + offset, size);
  });
}

nxs_status nxsExportBuffer(nxs_id buffer, const nxs_sink *handle) {
  return guarded([&] {
    const Ref<Buffer> exported = buffers.pin(buffer);
    nexus_plugin::export_memory(exported->shared(), nexus_plugin::check_sink(handle, "handle"));
  });
}

nxs_status nxsImportBuffer(nxs_id device, const void *handle, uint64_t size, nxs_id *out_buffer) {
  return guarded([&] {
    devices.pin(device);
    check_pointer(out_buffer, "out_buffer");
    const auto *text = static_cast<const char *>(check_pointer(handle, "handle"));
    *out_buffer = buffers.create(ProcessMemory::open({text, static_cast<std::size_t>(size)}));
  });
}

nxs_status nxsCopyBuffer(nxs_id buffer, uint64_t offset, void *host_ptr, uint64_t size,
                         nxs_id stream, nxs_ticket *out_ticket) {
  return guarded([&] {
    Ref<Buffer> from = buffers.pin(buffer);
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_ticket, "out_ticket");
    check_range("offset and size", offset, size, from->size());
    check_host_pointer(host_ptr, size);
    std::byte *data = from->data() + offset;
    *out_ticket = queue->transfer(
        Transfer::copy({{}, static_cast<std::byte *>(host_ptr)}, {std::move(from), data}, size));
  });
}

nxs_status nxsWriteBuffer(nxs_id buffer, uint64_t offset, const void *host_ptr, uint64_t size,
                          nxs_id stream, nxs_ticket *out_ticket) {
  return guarded([&] {
    Ref<Buffer> to = buffers.pin(buffer);
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_ticket, "out_ticket");
    check_range("offset and size", offset, size, to->size());
    check_host_pointer(host_ptr, size);
    std::byte *data = to->data() + offset;
    // Only read: a transfer's source is written nowhere.
    auto *source = static_cast<std::byte *>(const_cast<void *>(host_ptr));
    *out_ticket = queue->transfer(Transfer::copy({std::move(to), data}, {{}, source}, size));
  });
}

nxs_status nxsMapBuffer(nxs_id stream, const nxs_buffer_range *range, nxs_map_access access,
                        void **out_pointer, nxs_ticket *out_ticket) {
  return guarded([&] {
    const Ref<Stream> queue = streams.pin(stream);
    check_pointer(out_pointer, "out_pointer");
    check_pointer(out_ticket, "out_ticket");
    const auto mapped = nexus_plugin::pin_range(buffers, range, "range");
    std::byte *const data = mapped.buffer->data() + mapped.offset;
    if (access == 0 || (access & ~(NXS_MapAccess_Read | NXS_MapAccess_Write)) != 0) {
      throw Error(NXS_InvalidValue, "access is ", access, "; it must be Read, Write or both");
    }
    mapped.buffer->add_mapping(data);
    try {
      *out_ticket = queue->marker();
    } catch (...) {
      mapped.buffer->remove_mapping(data);
      throw;
    }
    *out_pointer = data;
  });
}

nxs_status nxsUnmapBuffer(nxs_id stream, nxs_id buffer, void *pointer, nxs_ticket *out_ticket) {
  return guarded([&] {
    const Ref<Stream> queue = streams.pin(stream);
    const Ref<Buffer> mapped = buffers.pin(buffer);
    check_pointer(out_ticket, "out_ticket");
    if (!mapped->remove_mapping(pointer)) {
      throw Error(NXS_InvalidValue,
                  "pointer is no mapping of the buffer; give what nxsMapBuffer gave");
    }
    *out_ticket = queue->marker();
  });
}

}  // extern "C"
