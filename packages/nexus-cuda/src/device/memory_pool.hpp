// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_MEMORY_POOL_HPP_
#define NEXUS_CUDA_MEMORY_POOL_HPP_

#include "device/device.hpp"

#include <cstdint>
#include <mutex>
#include <nexus-plugin/gpu/device_state.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using EventPool = nexus_plugin::EventPool<nexus_plugin::gpu::Queue<Gpu>>;
using OwnedStream = nexus_plugin::gpu::OwnedStream<Gpu>;

// The memory pool of a device, empty if the device has none. The kit's gpu/device_memory.hpp tells
// what the members do. Any thread may use it. The device's context must be current.
class MemoryPool {
 public:
  // stream: for allocations, and frees of memory that no work uses. Lives longer than the pool.
  MemoryPool(Device &device, CUstream stream, EventPool &events);

  explicit operator bool() const noexcept { return pool_ != nullptr; }
  CUmemoryPool get() const noexcept { return pool_; }

  CUresult allocate(CUdeviceptr *out, uint64_t size) noexcept {
    return cu.MemAllocFromPoolAsync(out, size, pool_, stream_);
  }
  void free(CUdeviceptr address, const std::vector<CUstream> &busy);
  bool is_freeing() const noexcept {
    return cu.StreamQuery(freeing_.get()) == CUDA_ERROR_NOT_READY;
  }
  void trim_unused() noexcept;
  void trim(uint64_t keep);
  void set_threshold(uint64_t bytes);
  // The driver applies the threshold when a stream is synchronized, and waits of ours only query.
  void apply_threshold() noexcept { (void)cu.StreamSynchronize(stream_); }
  uint64_t reserved() const { return bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT); }
  void let_access(Device &other);

 private:
  CUmemoryPool make() const;
  uint64_t bytes(CUmemPool_attribute which) const;

  Device *device_;
  EventPool *events_;
  const CUstream stream_;
  const OwnedStream freeing_;  // for frees that wait for work in several streams
  std::mutex mutex_;           // held while these waits and the free are enqueued
  const CUmemoryPool pool_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_MEMORY_POOL_HPP_
