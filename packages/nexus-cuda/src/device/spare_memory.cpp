// SPDX-License-Identifier: Apache-2.0
#include "device/spare_memory.hpp"

#include <algorithm>

namespace nexus_cuda NXS_HIDDEN {

MemoryBlock SpareMemory::take(uint64_t size) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = count_; at-- != 0;) {
    if (blocks_[at].size == size) return take_at(at);
  }
  return {};
}

MemoryBlock SpareMemory::keep(MemoryBlock block) noexcept {
  if (block.size > kLargest) return block;
  const std::lock_guard lock(mutex_);
  const MemoryBlock oldest = count_ == kBlocks ? take_at(0) : MemoryBlock();
  blocks_[count_++] = block;
  return oldest;
}

MemoryBlock SpareMemory::take_any() noexcept {
  const std::lock_guard lock(mutex_);
  return count_ == 0 ? MemoryBlock() : take_at(count_ - 1);
}

MemoryBlock SpareMemory::take_at(std::size_t at) noexcept {
  const MemoryBlock taken = blocks_[at];
  std::copy(blocks_.begin() + at + 1, blocks_.begin() + count_, blocks_.begin() + at);
  --count_;
  return taken;
}

}  // namespace nexus_cuda
