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
#include <nexus-plugin/failure.hpp>
#include <nexus-plugin/shared.hpp>
#include <nexus-plugin/staging.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// ---- Memory, allocated and freed in the order of the device's work ---------

struct MemoryBlock {
  CUdeviceptr address = 0;  // 0: none
  uint64_t size = 0;        // bytes
};

// Memory of a pool that was freed, to be given again without a call of the driver: a few blocks
// that no work uses, 64 MiB at most. Any thread.
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

// For an error of the driver.
inline constexpr const char *kFreeingMemory = "freeing memory";

// The pool of a device. Memory that it gives is ready at once for work in any stream: it comes from
// a stream in which nothing ever waits, and is none that a free still to come would give back.
// What is freed while no work uses it is kept for the next allocation of its size. Where the device
// has no pools, memory comes from the driver's plain functions. Any thread; the device's context is
// current.
class DeviceMemory {
 public:
  DeviceMemory(Device &device, StreamPool &stream_pool, EventPool &events);

  // Where there is none left, what the pool keeps is given back and the driver asked once more.
  // Throws NXS_MemObjectAllocationFailure with the sizes.
  CUdeviceptr allocate(uint64_t size);
  // The same, of memory that other processes can be given, which is no pool's: cuMemFree frees it.
  CUdeviceptr allocate_shareable(uint64_t size);
  // What call() returns, a call of the driver that may need memory. Where there is none left, what
  // the pool keeps is given back and it is called once more.
  template <class Call>
  CUresult with_room(Call &&call) noexcept {
    const CUresult result = call();
    if (result != CUDA_ERROR_OUT_OF_MEMORY) [[likely]]
      return result;
    give_back_unused();
    return call();
  }
  // Frees what allocate() gave when the work is done that is in the streams now. Does not wait.
  void free(MemoryBlock block, StreamSet used_in) noexcept;

  // Calls free, on a thread of the plug-in, when the work is done that is in the streams now: for
  // what the driver frees only while the whole device waits.
  void free_after(StreamSet used_in, std::function<void()> free) noexcept;

  // As nxsTrimMemory. Waits for no work.
  void trim(uint64_t keep);
  // As nxsSetReleaseThreshold.
  void set_threshold(uint64_t bytes);
  // Gives back what the pool has beyond its threshold and no buffer uses. Waits for no work.
  void keep_to_threshold() noexcept {
    if (has_threshold_.load(std::memory_order_relaxed)) [[unlikely]]
      give_back_beyond();
  }
  // Of the driver, in the pool and beside it.
  uint64_t reserved() const;
  // Notes memory of buffers that is not of the pool: so many bytes more, or fewer.
  void count(int64_t bytes) noexcept { beside_pool_.fetch_add(bytes, std::memory_order_relaxed); }

  // For copies that begin before the caller's call returns; nothing ever waits in it.
  CUstream stream() const noexcept { return stream_.get(); }
  // NULL where the device has no pools.
  CUmemoryPool pool() const noexcept { return pool_; }

 private:
  void make_pool();
  CUresult set_up_pool() const noexcept;
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
  // Returns whether what comes before it on the host is done too; may be empty. Asked without a
  // lock.
  std::function<bool()> host_is_done = {};
  // Called by the last worker. An upload's device copies may still run: its events are of those.
  std::function<void(CopyJob &)> finished = {};

  // With the workers' lock:
  uint64_t next = 0;  // bytes that were handed out
  unsigned inside = 0;
  std::vector<EventPtr> events = {};
  nexus_plugin::FailurePtr failure = {};
};
using CopyJobPtr = nexus_plugin::Shared<CopyJob>;

// Where copies that have begun are not to be used, before their memory is freed: waits for them,
// whatever became of them. With the device's context current.
void wait_for_copies(const std::vector<EventPtr> &copied) noexcept;

// The workers of a device. They start with the first job, and run until the process ends.
class CopyWorkers {
 public:
  CopyWorkers(Device &device, EventPool &events) : device_(&device), events_(&events) {}

  // Throws where no worker can be started.
  void begin(CopyJobPtr job);

  // Copies to the device and returns when the host's memory has been read. Whoever uses the copy
  // waits for the events. Throws what the driver says.
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
  void leave(const CopyJobPtr &job, EventPtr event, nexus_plugin::FailurePtr failure);

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
