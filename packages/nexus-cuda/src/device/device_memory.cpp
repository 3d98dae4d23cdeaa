// SPDX-License-Identifier: Apache-2.0
#include "device/device_memory.hpp"

#include <algorithm>
#include <chrono>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/host.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// How long an allocation that failed waits for frees in flight, at most.
constexpr std::chrono::milliseconds kForFrees{200};

// Returns a text such as " (10 of 20 bytes are free)"; empty if the driver does not tell.
std::string free_in_words() {
  size_t free = 0, total = 0;
  if (cu.MemGetInfo(&free, &total) != CUDA_SUCCESS) return {};
  return join(" (", free, " of ", total, " bytes are free)");
}

}  // namespace

DeviceMemory::DeviceMemory(Device &device, StreamPool &stream_pool, EventPool &events)
    : device_(&device),
      stream_pool_(&stream_pool),
      events_(&events),
      stream_(device),
      freeing_(device) {
  if (device.has_memory_pools()) make_pool();
}

// The pool keeps freed memory, and does not reuse memory whose free still waits for work: the
// allocating stream would have to wait for that work.
void DeviceMemory::make_pool() {
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
    if (made != CUDA_SUCCESS) log_unreleased(cu.MemPoolDestroy(pool), "destroying a memory pool");
  }
  if (made == CUDA_SUCCESS) {
    pool_ = pool;
    return;
  }
  if (is_fatal(made)) device_->check(made, "making a memory pool");
  nexus_plugin::log(NXS_LogLevel_Info, "the device '", device_->name(), "' has no memory pool (",
                    error_name(made), "); buffers are allocated one by one");
}

CUdeviceptr DeviceMemory::allocate(uint64_t size) {
  if (const MemoryBlock kept = spare_.take(size); kept.address != 0) return kept.address;
  return allocate_with(size, [&](CUdeviceptr &address) {
    return pool_ == nullptr ? cu.MemAlloc(&address, size)
                            : cu.MemAllocFromPoolAsync(&address, size, pool_, stream_.get());
  });
}

CUdeviceptr DeviceMemory::allocate_shareable(uint64_t size) {
  return allocate_with(size, [&](CUdeviceptr &address) { return cu.MemAlloc(&address, size); });
}

template <class Try>
CUdeviceptr DeviceMemory::allocate_with(uint64_t size, const Try &try_it) {
  CUdeviceptr address = 0;
  const CUresult result = with_room([&] { return try_it(address); });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    throw Error::with_native_code(result, NXS_MemObjectAllocationFailure, "the device '",
                                  device_->name(), "' has no ", size, " bytes left for a buffer",
                                  free_in_words(), "; release buffers or make a smaller one");
  }
  if (result != CUDA_SUCCESS) device_->check(result, join("making a buffer of ", size, " bytes"));
  return address;
}

// Frees memory of the pool that no work uses.
void DeviceMemory::free_now(CUdeviceptr address) const noexcept {
  log_unreleased(cu.MemFreeAsync(address, stream_.get()), kFreeingMemory);
}

void DeviceMemory::free_spare() noexcept {
  for (MemoryBlock spare = spare_.take_any(); spare.address != 0; spare = spare_.take_any()) {
    free_now(spare.address);
  }
}

void DeviceMemory::trim_unused() noexcept {
  free_spare();
  const auto end = std::chrono::steady_clock::now() + kForFrees;
  while (cu.StreamQuery(freeing_.get()) == CUDA_ERROR_NOT_READY &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  (void)cu.StreamSynchronize(stream_.get());
  if (pool_ != nullptr) (void)cu.MemPoolTrimTo(pool_, 0);
}

uint64_t DeviceMemory::pool_bytes(CUmemPool_attribute which) const {
  uint64_t bytes = 0;
  if (pool_ != nullptr) {
    device_->check(cu.MemPoolGetAttribute(pool_, which, &bytes), "asking the memory pool");
  }
  return bytes;
}

// keep counts unused memory only; the driver's function counts the memory of buffers too.
void DeviceMemory::trim(uint64_t keep) {
  if (pool_ == nullptr) return;
  free_spare();
  device_->check(cu.StreamSynchronize(stream_.get()), kFreeingMemory);
  const uint64_t used = pool_bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  const uint64_t all = keep > SIZE_MAX - used ? SIZE_MAX : used + keep;
  device_->check(cu.MemPoolTrimTo(pool_, all), "giving memory back to the driver");
}

void DeviceMemory::set_threshold(uint64_t bytes) {
  if (pool_ == nullptr) return;
  device_->check(cu.MemPoolSetAttribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes),
                 "setting how much memory a pool keeps");
  has_threshold_.store(bytes != UINT64_MAX);
  free_spare();
  keep_to_threshold();
}

// The driver applies the threshold when a stream is synchronized, and waits of ours only query.
void DeviceMemory::apply_threshold() noexcept {
  try {
    const CurrentContext current(*device_);
    (void)cu.StreamSynchronize(stream_.get());
  } catch (const std::exception &) {  // other calls report that the device is lost
  }
}

uint64_t DeviceMemory::reserved() const {
  return pool_bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) +
         static_cast<uint64_t>(outside_pool_.load(std::memory_order_relaxed));
}

void DeviceMemory::free(MemoryBlock block, StreamSet used_in) noexcept {
  const CUdeviceptr address = block.address;
  if (pool_ == nullptr) {
    free_after(used_in, [address] { log_unreleased(cu.MemFree(address), kFreeingMemory); });
    return;
  }
  try {
    const std::vector<CUstream> busy = stream_pool_->busy(used_in);
    if (busy.size() > 1) return free_after_work(busy, address);
    if (busy.size() == 1) {
      return log_unreleased(cu.MemFreeAsync(address, busy.front()), kFreeingMemory);
    }
    if (has_threshold_.load(std::memory_order_relaxed)) {
      free_now(address);
      return apply_threshold();
    }
    if (const MemoryBlock other = spare_.keep(block); other.address != 0) free_now(other.address);
    if (has_threshold_.load()) free_spare();  // another thread has set it meanwhile
  } catch (const std::exception &) {
    device_->state().frees.add_when_idle(used_in, [this, address] { free_now(address); });
  }
}

// Throws if a wait can't be enqueued; then the memory is not freed.
void DeviceMemory::free_after_work(const std::vector<CUstream> &busy, CUdeviceptr address) {
  const std::vector<EventPtr> after = events_of(busy);
  const std::lock_guard lock(freeing_mutex_);
  for (const EventPtr &event : after) {
    device_->check(cu.StreamWaitEvent(freeing_.get(), event->get(), 0), kFreeingMemory);
  }
  log_unreleased(cu.MemFreeAsync(address, freeing_.get()), kFreeingMemory);
}

std::vector<EventPtr> DeviceMemory::events_of(const std::vector<CUstream> &of) {
  std::vector<EventPtr> recorded;
  for (const CUstream stream : of) {
    EventPtr event = EventPtr::make(*events_, false);
    device_->check(cu.EventRecord(event->get(), stream), "recording an event");
    recorded.push_back(std::move(event));
  }
  return recorded;
}

void DeviceMemory::free_after(StreamSet used_in, std::function<void()> free) noexcept {
  try {
    device_->state().frees.add(events_of(stream_pool_->busy(used_in)), free);
  } catch (const std::exception &) {
    device_->state().frees.add_when_idle(used_in, std::move(free));
  }
}

MemoryBlock SpareMemory::take(uint64_t size) noexcept {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = count_; at-- != 0;) {
    if (blocks_[at].size == size) return take_at(at);
  }
  return {};
}

MemoryBlock SpareMemory::keep(MemoryBlock block) noexcept {
  if (block.size > kLargest) return block;
  const std::lock_guard lock(mutex_);
  const MemoryBlock oldest = count_ == kBlocks ? take_at(0) : MemoryBlock();
  blocks_[count_++] = block;
  return oldest;
}

MemoryBlock SpareMemory::take_any() noexcept {
  const std::lock_guard lock(mutex_);
  return count_ == 0 ? MemoryBlock() : take_at(count_ - 1);
}

MemoryBlock SpareMemory::take_at(std::size_t at) noexcept {
  const MemoryBlock taken = blocks_[at];
  std::copy(blocks_.begin() + at + 1, blocks_.begin() + count_, blocks_.begin() + at);
  --count_;
  return taken;
}

}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_FUNCTION(TrimMemory, (nxs_id device, uint64_t keep), {
  Device &trimmed = device_of(device);
  trimmed.refuse_lost();
  DeviceState *state = trimmed.made_state();
  if (state == nullptr) return;
  const CurrentContext current(trimmed);
  state->memory.trim(keep);
})

NEXUS_PLUGIN_FUNCTION(SetReleaseThreshold, (nxs_id device, uint64_t bytes), {
  Device &owner = device_of(device);
  owner.refuse_lost();
  const CurrentContext current(owner);
  owner.state().memory.set_threshold(bytes);
})
