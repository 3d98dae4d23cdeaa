// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_STACKS_HPP_
#define NEXUS_CPU_STACKS_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>

namespace nexus_cpu NXS_HIDDEN {

// Returns the bytes of stack for a work item that waits at barriers: the setting cpu.fiber_stack,
// else 64 KiB. Read once.
std::size_t fiber_stack_size();

// Stacks of the same size in one mapping. Below each is a guard of kGuard bytes, where every access
// faults: a stack overflow ends the process and corrupts nothing. Memory is allocated when first
// touched. Not thread-safe.
class Stacks {
 public:
  static constexpr std::size_t kGuard = 64 * 1024;

  // size: bytes of one stack, rounded up to the page size. Throws std::system_error with the
  // system's reason.
  Stacks(std::size_t count, std::size_t size);
  ~Stacks();
  Stacks(Stacks &&other) noexcept;

  // The lowest byte of a stack, and its size.
  void *begin(std::size_t index) const noexcept { return memory_ + index * stride() + kGuard; }
  std::size_t size() const noexcept { return size_; }

  // Leaks the memory.
  void leave() noexcept { memory_ = nullptr; }

 private:
  std::size_t stride() const noexcept { return kGuard + size_; }

  std::byte *memory_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_STACKS_HPP_
