// SPDX-License-Identifier: Apache-2.0
//
// The present and peak number of bytes of a device's buffers.
#pragma once

#include <atomic>
#include <cstdint>

namespace nexus::core {

class MemoryCount {
 public:
  void add(uint64_t bytes) noexcept {
    const uint64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (peak < used && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
    }
  }
  void remove(uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  uint64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  uint64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void resetPeak() noexcept { peak_.store(used(), std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> peak_{0};
};

}  // namespace nexus::core
