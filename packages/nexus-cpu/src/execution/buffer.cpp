// SPDX-License-Identifier: Apache-2.0
#include "execution/buffer.hpp"

#include "execution/stream.hpp"
#include "execution/transfer.hpp"
#include "objects/device.hpp"

#include <cstdlib>
#include <mutex>
#include <nexus-plugin/property_table.hpp>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nexus_cpu NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::ProcessMemory;
using nexus_plugin::Ref;

constinit nexus_plugin::HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

namespace {

constexpr std::size_t kBufferAlignment = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte *allocate_aligned(uint64_t size) {
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
  // Huge pages need fewer TLB entries. Only a hint, so a failure is ignored.
  if (alignment == kHugePage) (void)madvise(memory, static_cast<std::size_t>(size), MADV_HUGEPAGE);
#endif
  return static_cast<std::byte *>(memory);
}

// Warns once, with cpu.guard set, of a buffer whose memory the plug-in did not allocate: it has no
// guard pages.
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

Buffer::Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr) : HostBuffer(size) {
  if (take_given(settings, host_ptr)) {
    tell_unguarded(size);
  } else if (GuardedMemory::wanted()) {
    guarded_ = GuardedMemory(size);
    take(guarded_.data(), [](std::byte *) {}, host_ptr);
  } else {
    take(allocate_aligned(size), [](std::byte *memory) { std::free(memory); }, host_ptr);
  }
}

Buffer::Buffer(const nexus_plugin::HostAddress &memory, uint64_t size) : HostBuffer(memory, size) {
  tell_unguarded(size);
}

Buffer::Buffer(ProcessMemory opened) : HostBuffer(std::move(opened)) {
  tell_unguarded(size());
}

namespace {

constexpr auto buffer_properties = nexus_plugin::property_table<Buffer>({
    {NP_Size, nexus_plugin::member<&Buffer::size>},
    {NP_NativeHandle, nexus_plugin::member<&Buffer::address>},
});

nxs_id create_buffer(const Device &device, uint64_t size, nxs_buffer_settings settings,
                     void *host_ptr) {
  nexus_plugin::check_new_buffer(size, settings, host_ptr, Buffer::kSettings,
                                 device.max_buffer_size());
  return buffers.create(size, settings, host_ptr);
}

// Releases the buffer also if this throws.
void release_buffer(nxs_id buffer) {
  const Ref<Buffer> released = buffers.release(buffer);
  if (!released->guarded()) return;
  if (const auto offset = released->guarded().find_overwritten()) {
    throw Error(NXS_InvalidMemObject, "byte ", *offset, " of a buffer of ", released->size(),
                " bytes, before its first, was overwritten by something other than a kernel that "
                "has the buffer as an argument");
  }
}

nxs_ticket copy_out(Stream &stream, Ref<Buffer> from, uint64_t offset, void *host_ptr,
                    uint64_t size) {
  std::byte *data = from->data() + offset;
  return stream.transfer(
      Transfer::copy({{}, static_cast<std::byte *>(host_ptr)}, {std::move(from), data}, size));
}

nxs_ticket copy_in(Stream &stream, Ref<Buffer> to, uint64_t offset, const void *host_ptr,
                   uint64_t size) {
  std::byte *data = to->data() + offset;
  // The cast is safe, since a transfer only reads its source.
  auto *source = static_cast<std::byte *>(const_cast<void *>(host_ptr));
  return stream.transfer(Transfer::copy({std::move(to), data}, {{}, source}, size));
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_FUNCTION(ReleaseBuffer, (nxs_id buffer), release_buffer(buffer))
NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_HOST_MEMORY(devices, buffers)
NEXUS_PLUGIN_HOST_COPIES(buffers, streams,
                         copy_out(*queue, std::move(buffer), offset, host_ptr, size),
                         copy_in(*queue, std::move(buffer), offset, host_ptr, size))
NEXUS_PLUGIN_COUNTED_MAPPINGS(buffers, streams, queue->marker())
