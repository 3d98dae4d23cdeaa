// SPDX-License-Identifier: Apache-2.0
#include "device/memory_pool.hpp"

#include <nexus-plugin/base/host.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::gpu::kFreeingMemory;

MemoryPool::MemoryPool(Device &device, CUstream stream, EventPool &events)
    : device_(&device),
      events_(&events),
      stream_(stream),
      freeing_(device),
      pool_(device.has_memory_pools() ? make() : nullptr) {}

// The pool keeps freed memory, and does not reuse memory whose free still waits for work: the
// allocating stream would have to wait for that work.
CUmemoryPool MemoryPool::make() const {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_->ordinal()};
  CUmemoryPool pool = nullptr;
  CUresult made = cu.MemPoolCreate(&pool, &properties);
  if (made == CUDA_SUCCESS) {
    uint64_t keep = UINT64_MAX;
    int no = 0;
    made = cu.MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    if (made == CUDA_SUCCESS) {
      made = cu.MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &no);
    }
    if (made != CUDA_SUCCESS)
      errors.log_unreleased(cu.MemPoolDestroy(pool), "destroying a memory pool");
  }
  if (made == CUDA_SUCCESS) return pool;
  if (errors.is_fatal(made)) device_->check(made, "making a memory pool");
  nexus_plugin::log(NXS_LogLevel_Info, "the device '", device_->name(), "' has no memory pool (",
                    errors.name(made), "); buffers are allocated one by one");
  return nullptr;
}

void MemoryPool::free(CUdeviceptr address, const std::vector<CUstream> &busy) {
  if (busy.size() < 2) {
    const CUstream stream = busy.empty() ? stream_ : busy.front();
    return errors.log_unreleased(cu.MemFreeAsync(address, stream), kFreeingMemory);
  }
  const auto after = nexus_plugin::gpu::record_all<Gpu>(*device_, *events_, busy);
  const std::lock_guard lock(mutex_);
  for (const auto &event : after) {
    device_->check(cu.StreamWaitEvent(freeing_.get(), event->get(), 0), kFreeingMemory);
  }
  errors.log_unreleased(cu.MemFreeAsync(address, freeing_.get()), kFreeingMemory);
}

void MemoryPool::trim_unused() noexcept {
  (void)cu.StreamSynchronize(stream_);
  (void)cu.MemPoolTrimTo(pool_, 0);
}

uint64_t MemoryPool::bytes(CUmemPool_attribute which) const {
  uint64_t told = 0;
  device_->check(cu.MemPoolGetAttribute(pool_, which, &told), "asking the memory pool");
  return told;
}

// keep counts unused memory only; the driver's function counts the memory of buffers too.
void MemoryPool::trim(uint64_t keep) {
  device_->check(cu.StreamSynchronize(stream_), kFreeingMemory);
  const uint64_t used = bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  const uint64_t all = keep > SIZE_MAX - used ? SIZE_MAX : used + keep;
  device_->check(cu.MemPoolTrimTo(pool_, all), "giving memory back to the driver");
}

void MemoryPool::set_threshold(uint64_t bytes) {
  device_->check(cu.MemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes),
                 "setting how much memory a pool keeps");
}

void MemoryPool::let_access(Device &other) {
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, other.ordinal()},
                                  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  other.check(cu.MemPoolSetAccess(pool_, &access, 1), "letting a GPU use another one's buffers");
}

}  // namespace nexus_cuda
