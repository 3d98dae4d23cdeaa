// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_BUFFER_HPP_
#define NEXUS_CPU_BUFFER_HPP_

#include "objects/library.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/memory/host_memory.hpp>
#include <optional>
#include <span>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

// A buffer's memory with inaccessible pages on both sides, for the setting cpu.guard. Its last byte
// is the last of a page, so that an access to the next one faults. The bytes between the start of
// the first page and the first byte are canaries.
class GuardedMemory {
 public:
  // Returns whether the setting cpu.guard is on; read once.
  static bool wanted();

  GuardedMemory() = default;
  // The memory is zeroed. Throws Error(NXS_MemObjectAllocationFailure).
  explicit GuardedMemory(uint64_t size);
  GuardedMemory(GuardedMemory &&other) noexcept
      : pages_(std::exchange(other.pages_, nullptr)), size_(other.size_) {}
  GuardedMemory &operator=(GuardedMemory other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~GuardedMemory();

  explicit operator bool() const noexcept { return pages_ != nullptr; }
  std::byte *data() const noexcept;

  // Returns whether the address is in the memory, its canaries or its inaccessible pages.
  bool covers(uintptr_t address) const noexcept;

  // Returns the offset from data(), a negative one, of the first overwritten canary. Restores the
  // canaries, so that each write is reported once.
  std::optional<int64_t> find_overwritten() const noexcept;

 private:
  std::size_t accessible() const noexcept;

  std::byte *pages_ = nullptr;  // the first accessible one
  std::size_t size_ = 0;
};

// Host memory, aligned to a cache line at least, and to a page if it has that size. The end of
// guarded memory is at the end of a page, so its start is aligned only as far as its size is.
class Buffer : public nexus_plugin::HostBuffer {
 public:
  // settings and host_ptr are those of nxsCreateBuffer, already checked.
  Buffer(uint64_t size, nxs_buffer_settings settings, void *host_ptr);
  // Uses memory that the program owns.
  Buffer(const nexus_plugin::HostAddress &memory, uint64_t size);
  // Uses a variable of a library, which it keeps loaded.
  Buffer(nexus_plugin::Ref<Library> library, std::span<std::byte> variable);
  // Uses memory that another process shares.
  explicit Buffer(nexus_plugin::ProcessMemory opened);

  const GuardedMemory &guarded() const noexcept { return guarded_; }

 private:
  GuardedMemory guarded_;
  nexus_plugin::Ref<Library> library_;
};

extern constinit nexus_plugin::HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_BUFFER_HPP_
