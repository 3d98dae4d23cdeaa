// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include "context.hpp"
#include "device.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <unistd.h>
#include <algorithm>

namespace simulated_cuda {
namespace {

constexpr uint64_t kUnit = uint64_t{2} << 20;  // what a pool takes from the device at a time

}  // namespace

Pool::~Pool() {
  device_->give_back(reserved_);
  if (foreign_file >= 0) close(foreign_file);
}

uintptr_t Pool::allocate(size_t size, Context &context) {
  require(foreign_file < 0, CUDA_ERROR_NOT_PERMITTED);
  const uint64_t need = used_ + size;
  require(limit_ == 0 || need <= limit_, CUDA_ERROR_OUT_OF_MEMORY);
  if (need > reserved_) {
    const uint64_t free = device_->memory() - device_->used();
    const uint64_t exact = need - reserved_;
    const uint64_t rounded = (need + kUnit - 1) / kUnit * kUnit - reserved_;
    const uint64_t more = rounded <= free ? rounded : exact;
    device_->take(more);
    reserved_ += more;
  }
  Allocation made;
  made.begin = device_->place(size);
  made.size = size;
  made.kind = MemoryKind::kPool;
  made.context = &context;
  made.device = device_;
  made.pool = shared_from_this();
  used_ += size;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, reserved_);
  return world().allocations.add(made).begin;
}

void Pool::returned(size_t size) {
  used_ -= size;
}

void Pool::trim(uint64_t reserved) {
  const uint64_t keep = std::max(reserved, used_);
  if (reserved_ <= keep) return;
  device_->give_back(reserved_ - keep);
  reserved_ = keep;
}

uint64_t Pool::attribute(CUmemPool_attribute which) const {
  switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return threshold_;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return reserved_;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return reserved_high_;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return used_;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return used_high_;
    default:
      return reuse_.at(which);
  }
}

void Pool::set_attribute(CUmemPool_attribute which, uint64_t value) {
  switch (which) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      threshold_ = value;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      require(value == 0);
      reserved_high_ = reserved_;
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      require(value == 0);
      used_high_ = used_;
      break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      fail(CUDA_ERROR_INVALID_VALUE);
    default:
      reuse_[which] = value;
  }
}

const std::shared_ptr<Pool> &default_pool(Device &device) {
  require(device.attribute(kMemoryPools) != 0, CUDA_ERROR_NOT_SUPPORTED);
  if (device.default_pool == nullptr) {
    device.default_pool = std::make_shared<Pool>(device, 0, false);
    device.default_pool_handle = world().pools.add(device.default_pool);
    device.current_pool = device.default_pool;
    device.current_pool_handle = device.default_pool_handle;
  }
  return device.default_pool;
}

void trim_pools(const Context &context) {
  for (const auto &[handle, pool] : world().pools.all()) {
    if (&pool->device() == &context.device()) pool->trim_to_threshold();
  }
}

}  // namespace simulated_cuda

using namespace simulated_cuda;

SIMULATED_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out_memory, size_t size, CUstream stream) {
  return call("cuMemAllocAsync", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    const auto in = stream_of(call, stream);
    (void)default_pool(call.context->device());
    *out_memory = call.context->device().current_pool->allocate(size, *call.context);
  });
}

SIMULATED_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out_memory, size_t size,
                                                  CUmemoryPool pool, CUstream stream) {
  return call("cuMemAllocFromPoolAsync", Needs::kContext, [&](Call &call) {
    require(out_memory != nullptr && size != 0);
    const auto in = stream_of(call, stream);
    *out_memory = world().pools.get(pool)->allocate(size, *call.context);
  });
}

SIMULATED_EXPORT CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  return call("cuMemFreeAsync", Needs::kContext, [&](Call &call) {
    const auto in = stream_of(call, stream);
    if (memory == 0) return;
    Allocation *freed = world().allocations.at(memory);
    const bool known = freed != nullptr && !freed->freed && freed->on_device() &&
                       freed->kind != MemoryKind::kGlobal;
    if (!known) misused("cuMemFreeAsync of what was not allocated", CUDA_ERROR_INVALID_VALUE);
    freed->freed = true;
    Work work;
    work.after_failure = true;
    work.run = [memory](CUresult) {
      const Lock lock(world().mutex);
      release(*world().allocations.at(memory));
      return CUDA_SUCCESS;
    };
    in->add(std::move(work));
  });
}
