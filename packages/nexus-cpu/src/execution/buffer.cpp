// SPDX-License-Identifier: Apache-2.0
#include "execution/buffer.hpp"

#include "objects/device.hpp"
#include "system/setting.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <nexus-plugin/base/property_table.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

// The inaccessible bytes on each side. They take address space only, and are many, since wrong
// indices are often far off.
constexpr std::size_t kGuard = std::size_t{64} << 20;
constexpr std::byte kCanary{0xc5};

}  // namespace

bool GuardedMemory::wanted() {
  static const bool setting = number_setting("guard", 0, 1, "0 or 1").value_or(0) == 1;
  return setting;
}

GuardedMemory::GuardedMemory(uint64_t size) : size_(static_cast<std::size_t>(size)) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(MAP_NORESERVE)
  flags |= MAP_NORESERVE;
#endif
  const std::size_t whole = accessible() + 2 * kGuard;
  void *memory = mmap(nullptr, whole, PROT_NONE, flags, -1, 0);
  if (memory != MAP_FAILED) {
    std::byte *first = static_cast<std::byte *>(memory) + kGuard;
    if (mprotect(first, accessible(), PROT_READ | PROT_WRITE) == 0) {
      pages_ = first;
      std::fill(pages_, data(), kCanary);
      return;
    }
    (void)munmap(memory, whole);
  }
  throw Error(
      NXS_MemObjectAllocationFailure, "size is ", size,
      " bytes, and the system does not have enough memory for it and its guard pages; release "
      "buffers, or set NEXUS_CPU_GUARD=0");
}

GuardedMemory::~GuardedMemory() {
  if (pages_ != nullptr) (void)munmap(pages_ - kGuard, accessible() + 2 * kGuard);
}

std::byte *GuardedMemory::data() const noexcept {
  return pages_ + (accessible() - size_);
}

bool GuardedMemory::covers(uintptr_t address) const noexcept {
  const uintptr_t first = reinterpret_cast<uintptr_t>(pages_) - kGuard;
  return pages_ != nullptr && address >= first && address - first < accessible() + 2 * kGuard;
}

std::optional<int64_t> GuardedMemory::find_overwritten() const noexcept {
  std::byte *const found = std::find_if(pages_, data(), [](std::byte b) { return b != kCanary; });
  if (found == data()) return {};
  const int64_t offset = found - data();
  std::fill(found, data(), kCanary);
  return offset;
}

std::size_t GuardedMemory::accessible() const noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (size_ + page - 1) / page * page;
}

constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

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
    throw Error(NXS_MemObjectAllocationFailure, "size is ", size,
                " bytes, and the system does not have enough memory; create a smaller buffer or "
                "release some");
  }
#if defined(__linux__)
  // Huge pages need fewer TLB entries. Only a hint, so a failure is ignored.
  if (alignment == kHugePage) (void)madvise(memory, static_cast<std::size_t>(size), MADV_HUGEPAGE);
#endif
  return static_cast<std::byte *>(memory);
}

}  // namespace

Buffer::Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr) : HostBuffer(size) {
  if (take_given(settings, host_ptr)) return;
  if (GuardedMemory::wanted()) {
    guarded_ = GuardedMemory(size);
    take(guarded_.data(), [](std::byte *) {}, host_ptr);
  } else {
    take(allocate_aligned(size), [](std::byte *memory) { std::free(memory); }, host_ptr);
  }
}

Buffer::Buffer(const HostAddress &memory, uint64_t size) : HostBuffer(memory, size) {}

Buffer::Buffer(Ref<Library> library, std::span<std::byte> variable)
    : Buffer(HostAddress{reinterpret_cast<uintptr_t>(variable.data()), 0}, variable.size()) {
  library_ = std::move(library);
}

Buffer::Buffer(ProcessMemory opened) : HostBuffer(std::move(opened)) {}

namespace {

constexpr auto buffer_properties = property_table<Buffer>({
    {NP_Size, member<&Buffer::size>},
    {NP_NativeHandle, member<&Buffer::address>},
});

nxs_id create_buffer(const Device &device, uint64_t size, nxs_buffer_settings settings,
                     void *host_ptr) {
  check_new_buffer(size, settings, host_ptr, Buffer::kSettings, device.max_buffer_size());
  return buffers.create(size, settings, host_ptr);
}

nxs_id get_global(Ref<Library> library, const std::string &name) {
  const std::span<std::byte> variable = library->global(name);
  return buffers.create(std::move(library), variable);
}

// Releases the buffer also if this throws.
void release_buffer(nxs_id buffer) {
  const Ref<Buffer> released = buffers.release(buffer);
  if (!released->guarded()) return;
  if (const auto offset = released->guarded().find_overwritten()) {
    throw Error(NXS_InvalidMemObject, "byte ", *offset, " of a buffer of ", released->size(),
                " bytes, before its first byte, was overwritten, and not by a kernel that has the "
                "buffer as an argument; look for host code that writes through a pointer to the "
                "buffer");
  }
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_GET_PROPERTY(Buffer, buffers, buffer_properties)
NEXUS_PLUGIN_FUNCTION(ReleaseBuffer, (nxs_id buffer), release_buffer(buffer))
NEXUS_PLUGIN_CREATE_BUFFER(devices, create_buffer)
NEXUS_PLUGIN_HOST_MEMORY(devices, buffers)
NEXUS_PLUGIN_RESULT(GetGlobal, (nxs_id library, const nxs_string *name, nxs_id *out),
                    get_global(libraries.pin(library), std::string(check_text(name, "name"))))
