// SPDX-License-Identifier: Apache-2.0
// State that the objects of a device share: its memory, and copies with the host.
#ifndef NEXUS_CUDA_DEVICE_STATE_HPP_
#define NEXUS_CUDA_DEVICE_STATE_HPP_

#include "device/queue.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/stream/staging.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// ---- Memory, allocated and freed in the order of the device's work ---------

struct MemoryBlock {
  CUdeviceptr address = 0;  // 0: none
  uint64_t size = 0;        // bytes
};

// Freed blocks of a pool that no work uses, 64 MiB at most: they are given again without a call of
// the driver. Any thread.
class SpareMemory {
 public:
  // Takes the newest block of exactly that size; none where there is none.
  MemoryBlock take(uint64_t size) noexcept;
  // Keeps a block. Returns one to free instead: the oldest, or this one where it is large.
  MemoryBlock keep(MemoryBlock block) noexcept;
  // Takes any block; none where there is none left.
  MemoryBlock take_any() noexcept;

 private:
  static constexpr uint64_t kLargest = uint64_t{4} << 20;
  static constexpr std::size_t kBlocks = 16;

  MemoryBlock take_at(std::size_t at) noexcept;

  std::mutex mutex_;
  std::array<MemoryBlock, kBlocks> blocks_;  // with the mutex, as below; the oldest first
  std::size_t count_ = 0;
};

// For an error of the driver.
inline constexpr const char *kFreeingMemory = "freeing memory";

// The memory pool of a device. What it gives is ready at once for work in any stream: it comes from
// a stream in which nothing ever waits. Where the device has no pools, memory comes from the
// driver's plain functions. Any thread; the device's context is current.
class DeviceMemory {
 public:
  DeviceMemory(Device &device, StreamPool &stream_pool, EventPool &events);

  // Throws NXS_MemObjectAllocationFailure where there is none left, also after with_room().
  CUdeviceptr allocate(uint64_t size);
  // Allocates memory that other processes can be given, outside of the pool: cuMemFree frees it.
  CUdeviceptr allocate_shareable(uint64_t size);
  // Returns the result of call(), which calls the driver. Where that finds no memory left, gives
  // unused memory of the pool back and calls it once more.
  template <class Call>
  CUresult with_room(Call &&call) noexcept {
    const CUresult result = call();
    if (result != CUDA_ERROR_OUT_OF_MEMORY) [[likely]]
      return result;
    give_back_unused();
    return call();
  }
  // Frees what allocate() gave, after the work that is in the streams now. Does not wait.
  void free(MemoryBlock block, StreamSet used_in) noexcept;

  // Calls free on a thread of the plug-in, after the work that is in the streams now: for memory
  // that the driver frees only when the whole device is idle.
  void free_after(StreamSet used_in, std::function<void()> free) noexcept;

  // As nxsTrimMemory. Waits for no work.
  void trim(uint64_t keep);
  // As nxsSetReleaseThreshold.
  void set_threshold(uint64_t bytes);
  // Gives unused memory beyond the threshold back to the driver. Waits for no work.
  void keep_to_threshold() noexcept {
    if (has_threshold_.load(std::memory_order_relaxed)) [[unlikely]]
      give_back_beyond();
  }
  // Bytes that the driver has given, in the pool and outside of it.
  uint64_t reserved() const;
  // Counts bytes of buffers outside of the pool.
  void count(int64_t bytes) noexcept { beside_pool_.fetch_add(bytes, std::memory_order_relaxed); }

  // For copies that are awaited at once; nothing ever waits in it.
  CUstream stream() const noexcept { return stream_.get(); }
  // NULL where the device has no pools.
  CUmemoryPool pool() const noexcept { return pool_; }

 private:
  void make_pool();
  void free_behind(const std::vector<CUstream> &busy, CUdeviceptr address);
  CUresult try_allocate(uint64_t size, CUdeviceptr &address) const noexcept;
  template <class Try>
  CUdeviceptr allocate_with(uint64_t size, const Try &try_it);
  uint64_t pool_bytes(CUmemPool_attribute which) const;
  void free_now(CUdeviceptr address) const noexcept;
  void free_spare() noexcept;
  void give_back_unused() noexcept;
  void give_back_beyond() noexcept;
  std::vector<EventPtr> events_of(const std::vector<CUstream> &of);

  Device *device_;
  StreamPool *stream_pool_;
  EventPool *events_;
  const OwnedStream stream_;   // allocations, and frees of what no work uses
  const OwnedStream freeing_;  // frees that wait for work in several streams
  std::mutex freeing_mutex_;   // the waits and the free are one step
  CUmemoryPool pool_ = nullptr;
  std::atomic<bool> has_threshold_{false};
  SpareMemory spare_;
  std::atomic<int64_t> beside_pool_{0};  // bytes
};

// ---- Large copies with pageable memory -------------------------------------
//
// Threads copy parts of it to and from page-locked memory, while the device copies other parts.

// One copy, which the workers share.
struct CopyJob {
  bool to_device = false;
  std::byte *host = nullptr;
  CUdeviceptr device = 0;
  uint64_t size = 0;
  EventPtr after;  // of the device's work ahead of it; may be empty
  // Returns whether earlier copies on the host are done; may be empty. Called without a lock.
  std::function<bool()> host_is_done = {};
  // Called by the last worker. Copies of an upload may still run on the device: see events.
  std::function<void(CopyJob &)> finished = {};

  // With the workers' lock:
  uint64_t next = 0;  // bytes that were handed out
  unsigned inside = 0;
  std::vector<EventPtr> events = {};
  FailurePtr failure = {};
};
using CopyJobPtr = Shared<CopyJob>;

// Waits until copies have ended, successful or not. With the device's context current.
void wait_for_copies(const std::vector<EventPtr> &copied) noexcept;

// The workers of a device. They start with the first job, and run until the process ends.
class CopyWorkers {
 public:
  CopyWorkers(Device &device, EventPool &events) : device_(&device), events_(&events) {}

  // Throws where no worker can be started.
  void begin(CopyJobPtr job);

  // Returns when the host's memory has been read; work that uses the copy waits for the events.
  // Throws what the driver says.
  std::vector<EventPtr> upload(CUdeviceptr to, const void *from, uint64_t size);

 private:
  class Worker;
  struct Part {
    uint64_t offset = 0, size = 0;  // a size of 0: there is none left
  };

  void start();
  CopyJobPtr next_job();
  bool may_begin(const CopyJob &job) const noexcept;
  Part next_part(CopyJob &job);
  void leave(const CopyJobPtr &job, EventPtr event, FailurePtr failure);

  Device *device_;
  EventPool *events_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<CopyJobPtr> jobs_;
  unsigned workers_ = 0;
};

// ---- All of it ---------------------------------------------------------------

// Page-locked memory of a Device, for copies. Throws what the driver says.
std::byte *allocate_staging(void *device, uint64_t size);

// State that the objects of one device share. Made with the device's context current; lives as long
// as the process.
struct DeviceState {
  explicit DeviceState(Device &device)
      : events(device),
        stream_pool(device),
        frees(device, stream_pool),
        memory(device, stream_pool, events),
        staging(&device, allocate_staging),
        workers(device, events) {}

  EventPool events;
  StreamPool stream_pool;
  DeferredFrees frees;
  DeviceMemory memory;
  nexus_plugin::Staging staging;
  CopyWorkers workers;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_STATE_HPP_
