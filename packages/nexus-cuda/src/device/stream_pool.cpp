// SPDX-License-Identifier: Apache-2.0
#include "device/stream_pool.hpp"

#include "device/device.hpp"

namespace nexus_cuda NXS_HIDDEN {

PooledStream &StreamPool::take(int32_t priority) {
  const std::lock_guard lock(mutex_);
  for (const auto &pooled : all_) {
    if (!pooled->taken && pooled->priority == priority &&
        cu.StreamQuery(pooled->stream) == CUDA_SUCCESS) {
      pooled->taken = true;
      return *pooled;
    }
  }
  auto made = std::make_unique<PooledStream>();
  all_.reserve(all_.size() + 1);
  device_->check(cu.StreamCreateWithPriority(&made->stream, CU_STREAM_NON_BLOCKING, priority),
                 "making a stream");
  made->own = made->stream;
  made->index = static_cast<uint32_t>(all_.size());
  made->priority = priority;
  made->taken = true;
  all_.push_back(std::move(made));
  return *all_.back();
}

void StreamPool::give_back(PooledStream &pooled) noexcept {
  const std::lock_guard lock(mutex_);
  pooled.taken = false;
}

void StreamPool::redirect(PooledStream &pooled, CUstream stream) noexcept {
  const std::lock_guard lock(mutex_);
  pooled.stream = stream;
}

std::vector<CUstream> StreamPool::busy(StreamSet among) const {
  std::vector<CUstream> found;
  if (among == 0) return found;
  const std::lock_guard lock(mutex_);
  for (const auto &pooled : all_) {
    if ((among & stream_bit(pooled->index)) != 0 &&
        cu.StreamQuery(pooled->stream) != CUDA_SUCCESS) {
      found.push_back(pooled->stream);
    }
  }
  return found;
}

}  // namespace nexus_cuda
