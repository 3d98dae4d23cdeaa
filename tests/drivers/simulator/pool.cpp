// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include "context.hpp"
#include "device.hpp"

#include <algorithm>
#include <cstring>

namespace simulator {

Pool::~Pool() {
  device_->give_back(reserved_);
}

uintptr_t Pool::allocate(size_t size, Context &context) {
  constexpr uint64_t kUnit = uint64_t{2} << 20;  // what it takes from the device at a time
  const uint64_t need = used_ + size;
  if (need > reserved_) {
    const uint64_t free = device_->memory() - device_->used();
    const uint64_t rounded = (need + kUnit - 1) / kUnit * kUnit - reserved_;
    const uint64_t more = rounded <= free ? rounded : need - reserved_;
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
  return world().allocations.add(made).begin;
}

void Pool::set_attribute(int attribute, const void *value) {
  require(value != nullptr);
  require(attribute >= kReuseFollowsEvents && attribute <= kReleaseThreshold);
  if (attribute == kReleaseThreshold) std::memcpy(&threshold_, value, sizeof(threshold_));
}

uint64_t Pool::attribute(int attribute) const {
  require(attribute == kUsedMemory || attribute == kReservedMemory);
  return attribute == kUsedMemory ? used_ : reserved_;
}

void Pool::check_access(const Device &device, int flags) const {
  constexpr int kReadWrite = 3;
  require(&device != device_ || flags == kReadWrite);
}

void Pool::trim(uint64_t reserved) {
  const uint64_t keep = std::max(reserved, used_);
  if (reserved_ <= keep) return;
  device_->give_back(reserved_ - keep);
  reserved_ = keep;
}

const std::shared_ptr<Pool> &default_pool(Device &device) {
  require(device.attribute(kMemoryPools) != 0, kNotSupported);
  if (device.default_pool == nullptr) {
    device.default_pool = std::make_shared<Pool>(device);
    device.default_pool_handle = world().pools.add(device.default_pool);
  }
  return device.default_pool;
}

Handle make_pool(Device &device) {
  (void)default_pool(device);
  return world().pools.add(std::make_shared<Pool>(device));
}

void destroy_pool(Handle pool) {
  const auto ended = world().pools.get(pool);
  require(ended != ended->device().default_pool);
  (void)world().pools.take(pool);
}

void synchronize(Call &call, const std::shared_ptr<Stream> &stream) {
  stream->refuse_capturing();
  wait_for(call.lock, stream->end());
  const Result failure = stream->context()->failure();
  require(failure == kSuccess, failure);
  trim_pools(*stream->context());
}

void trim_pools(const Context &context) {
  for (const auto &[handle, pool] : world().pools.all()) {
    if (&pool->device() == &context.device()) pool->trim(pool->threshold());
  }
}

void free_in_order(const char *function, const std::shared_ptr<Stream> &stream, uintptr_t begin) {
  Allocation *freed = world().allocations.at(begin);
  const bool known =
      freed != nullptr && !freed->freed && freed->on_device() && freed->kind != MemoryKind::kGlobal;
  if (!known) misused(std::string(function) + " of what was not allocated", kInvalidValue);
  freed->freed = true;
  Work work;
  work.after_failure = true;
  work.run = [begin] {
    const Lock lock(world().mutex);
    release(*world().allocations.at(begin));
    return kSuccess;
  };
  stream->add(std::move(work));
}

}  // namespace simulator
