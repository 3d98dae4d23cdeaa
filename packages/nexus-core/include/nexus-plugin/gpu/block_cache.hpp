// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_GPU_BLOCK_CACHE_HPP_
#define NEXUS_PLUGIN_GPU_BLOCK_CACHE_HPP_

#include <nexus-api/nxs.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

template <class Address>
struct MemoryBlock {
  Address address = 0;  // 0: none
  uint64_t size = 0;    // bytes
};

// Freed blocks of device memory that no work uses. Reusing one needs no call of the driver. Any
// thread may use it.
template <class Address>
class BlockCache {
 public:
  using Block = MemoryBlock<Address>;

  static constexpr std::size_t kMost = 64;  // blocks

  // most: how many blocks it keeps, at most kMost. largest: the size of those that it keeps.
  BlockCache(std::size_t most, uint64_t largest) noexcept : most_(most), largest_(largest) {}

  // Takes the newest block of exactly that size; an empty one if there is none.
  Block take(uint64_t size) noexcept {
    const std::lock_guard lock(mutex_);
    for (std::size_t at = count_; at-- != 0;) {
      if (blocks_[at].size == size) return take_at(at);
    }
    return {};
  }

  // Keeps a block. Returns a block to free instead: the oldest, this one if it is too large, or an
  // empty one.
  Block keep(Block block) noexcept {
    if (block.size > largest_) return block;
    const std::lock_guard lock(mutex_);
    const Block oldest = count_ == most_ ? take_at(0) : Block();
    blocks_[count_++] = block;
    bytes_ += block.size;
    return oldest;
  }

  // Takes the oldest block if there are more bytes than that; else an empty one.
  Block take_beyond(uint64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    return bytes_ > bytes ? take_at(0) : Block();
  }

 private:
  Block take_at(std::size_t at) noexcept {
    const Block taken = blocks_[at];
    std::copy(blocks_.begin() + at + 1, blocks_.begin() + count_, blocks_.begin() + at);
    --count_;
    bytes_ -= taken.size;
    return taken;
  }

  const std::size_t most_;
  const uint64_t largest_;
  std::mutex mutex_;
  std::array<Block, kMost> blocks_;  // the oldest first
  std::size_t count_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_BLOCK_CACHE_HPP_
