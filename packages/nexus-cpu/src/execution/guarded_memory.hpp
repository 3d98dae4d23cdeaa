// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_GUARDED_MEMORY_HPP_
#define NEXUS_CPU_GUARDED_MEMORY_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_GUARDED_MEMORY_HPP_
