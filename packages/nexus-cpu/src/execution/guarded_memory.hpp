// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_GUARDED_MEMORY_HPP_
#define NEXUS_CPU_GUARDED_MEMORY_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

// A buffer's memory with inaccessible pages on both sides, for the setting cpu.guard. The last byte
// ends a page, so that the next one faults. Bytes between the start of the first page and the first
// byte are canaries.
class GuardedMemory {
 public:
  // Returns whether the setting asks for it; read once.
  static bool wanted();

  GuardedMemory() = default;
  // Zeros. Throws Error(NXS_MemObjectAllocationFailure).
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

  // Returns whether the address is in the memory, its canaries or the inaccessible pages around
  // them.
  bool covers(uintptr_t address) const noexcept;

  // The offset from data() of the first canary that was overwritten, which is negative. Restores
  // the canaries, so that one write is found once.
  std::optional<int64_t> find_overwritten() const noexcept;

 private:
  std::size_t accessible() const noexcept;

  std::byte *pages_ = nullptr;  // the first that is accessible
  std::size_t size_ = 0;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_GUARDED_MEMORY_HPP_
