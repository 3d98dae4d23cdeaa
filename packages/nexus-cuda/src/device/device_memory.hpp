// SPDX-License-Identifier: Apache-2.0
// The memory of a device.
#ifndef NEXUS_CUDA_DEVICE_MEMORY_HPP_
#define NEXUS_CUDA_DEVICE_MEMORY_HPP_

#include "device/queue.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nexus-plugin/gpu/device_state.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

struct MemoryBlock {
  CUdeviceptr address = 0;  // 0: none
  uint64_t size = 0;        // bytes
};

// Up to 16 freed blocks of the pool that no work uses. Reusing them needs no call of the driver.
// Any thread may use it.
class SpareMemory {
 public:
  // Takes the newest block of exactly that size; an empty one if there is none.
  MemoryBlock take(uint64_t size) noexcept;
  // Keeps a block. Returns a block to free instead: the oldest, this one if it is too large, or an
  // empty one.
  MemoryBlock keep(MemoryBlock block) noexcept;
  // Takes any block; an empty one if there is none.
  MemoryBlock take_any() noexcept;

 private:
  static constexpr uint64_t kLargest = uint64_t{4} << 20;  // bytes of a block
  static constexpr std::size_t kBlocks = 16;

  MemoryBlock take_at(std::size_t at) noexcept;

  std::mutex mutex_;
  std::array<MemoryBlock, kBlocks> blocks_;  // the oldest first
  std::size_t count_ = 0;
};

inline constexpr const char *kFreeingMemory = "freeing memory";  // for errors

// The memory pool of a device, or the driver's cuMemAlloc if the device has no pools. Any thread
// may use it. The device's context must be current.
class DeviceMemory {
 public:
  DeviceMemory(Device &device, StreamPool &stream_pool, EventPool &events);

  // Allocates memory that work in any stream may use at once. Throws NXS_MemObjectAllocationFailure
  // if there is none left, even after trimming the pool.
  CUdeviceptr allocate(uint64_t size);
  // Allocates memory that other processes can open. It is outside the pool; free it with cuMemFree.
  CUdeviceptr allocate_shareable(uint64_t size);
  // Returns the result of call(), which calls the driver. If the device is out of memory, trims the
  // pool and calls it again.
  template <class Call>
  CUresult with_room(Call &&call) noexcept {
    const CUresult result = call();
    if (result != CUDA_ERROR_OUT_OF_MEMORY) [[likely]]
      return result;
    trim_unused();
    return call();
  }
  // Frees memory of allocate() after the work that is in the streams now. Does not wait.
  void free(MemoryBlock block, StreamSet used_in) noexcept;

  // Calls free on the thread for deferred frees, after the work that is in the streams now: for
  // memory that the driver frees only when the whole device is idle.
  void free_after(StreamSet used_in, std::function<void()> free) noexcept;

  // Implements nxsTrimMemory. Does not wait for work.
  void trim(uint64_t keep);
  // Implements nxsSetReleaseThreshold.
  void set_threshold(uint64_t bytes);
  // Gives unused memory beyond the threshold back to the driver. Does not wait for work.
  void keep_to_threshold() noexcept {
    if (has_threshold_.load(std::memory_order_relaxed)) [[unlikely]]
      apply_threshold();
  }
  // Returns the bytes that the backend has from the driver, in the pool and outside.
  uint64_t reserved() const;
  // Adds to the bytes outside the pool; bytes may be negative.
  void count(int64_t bytes) noexcept { outside_pool_.fetch_add(bytes, std::memory_order_relaxed); }

  // Returns a stream for copies that the caller waits for. Work in it never waits for other work.
  CUstream stream() const noexcept { return stream_.get(); }
  // Returns NULL if the device has no pools.
  CUmemoryPool pool() const noexcept { return pool_; }

 private:
  void make_pool();
  void free_after_work(const std::vector<CUstream> &busy, CUdeviceptr address);
  template <class Try>
  CUdeviceptr allocate_with(uint64_t size, const Try &try_it);
  uint64_t pool_bytes(CUmemPool_attribute which) const;
  void free_now(CUdeviceptr address) const noexcept;
  void free_spare() noexcept;
  void trim_unused() noexcept;
  void apply_threshold() noexcept;
  std::vector<EventPtr> events_of(const std::vector<CUstream> &of);

  Device *device_;
  StreamPool *stream_pool_;
  EventPool *events_;
  const OwnedStream stream_;   // for allocations, and frees of memory that no work uses
  const OwnedStream freeing_;  // for frees that wait for work in several streams
  std::mutex freeing_mutex_;   // held while the waits and the free are enqueued
  CUmemoryPool pool_ = nullptr;
  std::atomic<bool> has_threshold_{false};
  SpareMemory spare_;
  std::atomic<int64_t> outside_pool_{0};  // bytes
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_MEMORY_HPP_
