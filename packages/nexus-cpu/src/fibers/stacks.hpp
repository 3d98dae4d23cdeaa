// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_STACKS_HPP_
#define NEXUS_CPU_STACKS_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>

namespace nexus_cpu NXS_HIDDEN {

// Bytes that a work item which waits at barriers has for its stack: the setting
// cpu.fiber_stack, else 64 KiB. Read once.
std::size_t fiber_stack_size();

// A number of stacks of the same size in one piece. Below each is a guard as large as kGuard, where
// every access faults: what overflows its stack ends the process and corrupts nothing. Memory is
// taken when it is first touched. One thread at a time.
class Stacks {
 public:
  static constexpr std::size_t kGuard = 64 * 1024;

  // size: bytes of one, made a multiple of the page size. Throws std::system_error with the
  // system's reason.
  Stacks(std::size_t count, std::size_t size);
  ~Stacks();
  Stacks(Stacks &&other) noexcept;

  // The lowest byte of a stack, and how many it has.
  void *begin(std::size_t index) const noexcept { return memory_ + index * stride() + kGuard; }
  std::size_t size() const noexcept { return size_; }

  // Never returns the memory.
  void leave() noexcept { memory_ = nullptr; }

 private:
  std::size_t stride() const noexcept { return kGuard + size_; }

  std::byte *memory_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_STACKS_HPP_
