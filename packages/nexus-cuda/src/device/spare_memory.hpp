// SPDX-License-Identifier: Apache-2.0
// Memory of a pool that was freed, to be given again without a call of the driver.
#ifndef NEXUS_CUDA_SPARE_MEMORY_HPP_
#define NEXUS_CUDA_SPARE_MEMORY_HPP_

#include "driver/cuda_types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace nexus_cuda NXS_HIDDEN {

struct MemoryBlock {
  CUdeviceptr address = 0;  // 0: none
  uint64_t size = 0;        // bytes
};

// A few blocks that no work uses, 64 MiB at most. Any thread.
class SpareMemory {
 public:
  // A block of just that size, the newest; none where there is none.
  MemoryBlock take(uint64_t size) noexcept;
  // Keeps a block. Returns one to free instead, or none: the oldest, or that one where it is large.
  MemoryBlock keep(MemoryBlock block) noexcept;
  // Any block, to free; none at the end.
  MemoryBlock take_any() noexcept;

 private:
  static constexpr uint64_t kLargest = uint64_t{4} << 20;
  static constexpr std::size_t kBlocks = 16;

  MemoryBlock take_at(std::size_t at) noexcept;

  std::mutex mutex_;
  std::array<MemoryBlock, kBlocks> blocks_;  // with the mutex, as below; the oldest first
  std::size_t count_ = 0;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_SPARE_MEMORY_HPP_
