// SPDX-License-Identifier: Apache-2.0
// The memory of a device for buffers: where it comes from, and when it is freed. Beside the members
// in memory_pool.hpp, G has
//
//   static constexpr Result kOutOfMemory = ...;
//   static Result allocate(Address *out, uint64_t size) noexcept;  // on the current device
//   static Result free(Address address) noexcept;  // may wait for all work of the device
//   static Result free_memory(size_t *free, size_t *total) noexcept;  // bytes
//
// Without a pool each block is the driver's own, and freed blocks are kept for later ones.
#ifndef NEXUS_PLUGIN_GPU_DEVICE_MEMORY_HPP_
#define NEXUS_PLUGIN_GPU_DEVICE_MEMORY_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/gpu/block_cache.hpp>
#include <nexus-plugin/gpu/memory_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Any thread may use it. The device must be current.
template <class G>
class DeviceMemory {
 public:
  using Device = typename G::Device;
  using Address = typename G::Address;
  using NativeStream = typename G::NativeStream;
  using Block = MemoryBlock<Address>;

  DeviceMemory(Device &device, const StreamPool<Queue<G>> &stream_pool, EventPool<Queue<G>> &events)
      : device_(&device),
        stream_pool_(&stream_pool),
        events_(&events),
        stream_(device),
        pool_(device, stream_.get(), events) {}

  // Allocates memory that work in any stream may use at once. Throws NXS_MemObjectAllocationFailure
  // if there is none left, even after all unused memory was freed.
  Address allocate(uint64_t size) {
    if (const Block kept = cache_.take(size); kept.address != 0) return kept.address;
    if (pool_) return allocate_with(size, [&](Address *out) { return pool_.allocate(out, size); });
    const Address address = allocate_shareable(size);
    count(static_cast<int64_t>(size));
    return address;
  }
  // Allocates a block of the driver's own, which other processes can open. Free it with G::free().
  Address allocate_shareable(uint64_t size) {
    return allocate_with(size, [&](Address *out) { return G::allocate(out, size); });
  }
  // Returns the result of call(), which calls the driver. If the device is out of memory, frees all
  // unused memory and calls it again.
  template <class Call>
  Result with_room(Call &&call) noexcept {
    const Result result = call();
    if (result != G::kOutOfMemory) [[likely]]
      return result;
    trim_unused();
    return call();
  }
  // Frees memory of allocate() after the work that is in the streams now. Does not wait.
  void free(Block block, StreamSet used_in) noexcept {
    try {
      BusyStreams<G> busy = stream_pool_->busy(used_in);
      if (busy.empty()) return keep(block);
      if (pool_) return pool_.free(block.address, busy);
      busy.clear();  // free_after() finds them again
      free_after(used_in, [this, block] { keep(block); });
    } catch (const std::exception &) {
      // No event could be recorded, or there is no host memory, which the size would need here.
      if (!pool_) count(-static_cast<int64_t>(block.size));
      device_->state().frees.add_when_idle(
          used_in, [this, address = block.address] { free_now({address}); });
    }
  }

  // Calls free on the thread for deferred frees, after the work that is in the streams now: for
  // memory that the driver frees only when the whole device is idle.
  void free_after(StreamSet used_in, std::function<void()> free) noexcept {
    try {
      auto after = record_all<G>(*device_, *events_, stream_pool_->busy(used_in));
      device_->state().frees.add(std::move(after), free);
    } catch (const std::exception &) {
      device_->state().frees.add_when_idle(used_in, std::move(free));
    }
  }

  // Implements nxsTrimMemory. Does not wait for work.
  void trim(uint64_t keep) {
    free_kept(pool_ ? 0 : keep);
    if (pool_) pool_.trim(keep);
  }
  // Implements nxsSetReleaseThreshold.
  void set_threshold(uint64_t bytes) {
    if (pool_) pool_.set_threshold(bytes);
    threshold_.store(bytes);
    keep_to_threshold();
  }
  // Gives unused memory beyond the threshold back to the driver. Does not wait for work.
  void keep_to_threshold() noexcept {
    if (threshold_.load(std::memory_order_relaxed) != UINT64_MAX) [[unlikely]]
      apply_threshold();
  }
  // Returns the bytes that the backend has from the driver, in the pool and outside.
  uint64_t reserved() const { return outside_pool() + (pool_ ? pool_.reserved() : 0); }
  // Adds to the bytes outside the pool; bytes may be negative.
  void count(int64_t bytes) noexcept { outside_pool_.fetch_add(bytes, std::memory_order_relaxed); }

  // Lets another device, whose peer access is enabled, use the memory of allocate().
  void let_access(Device &other) {
    if (pool_) pool_.let_access(other);
  }

  // Returns a stream for copies that the caller waits for. Work in it never waits for other work.
  NativeStream stream() const noexcept { return stream_.get(); }
  // Returns the pool, which may be empty.
  const MemoryPool<G> &pool() const noexcept { return pool_; }

 private:
  // A pool is asked for large blocks, which it can divide; without one all are kept.
  static constexpr std::size_t kKeptOfPool = 16;                     // blocks
  static constexpr uint64_t kLargestKeptOfPool = uint64_t{4} << 20;  // bytes
  // How long an allocation that failed waits for frees in flight, at most. Without a pool the
  // driver may free memory only when the device has done all work.
  static constexpr std::chrono::milliseconds kForFrees{200}, kForFreesWithoutPool{5000};

  template <class Try>
  Address allocate_with(uint64_t size, const Try &try_it) {
    Address address = 0;
    const Result result = with_room([&] { return try_it(&address); });
    if (result == G::kOutOfMemory) {
      throw Error::with_native_code(result, NXS_MemObjectAllocationFailure, "the device '",
                                    device_->name(), "' has no ", size, " bytes left for a buffer",
                                    free_in_words(), "; release buffers or make a smaller one");
    }
    if (result != kSuccess) device_->check(result, join("making a buffer of ", size, " bytes"));
    return address;
  }
  // Returns a text such as " (10 of 20 bytes are free)"; empty if the driver does not report.
  static std::string free_in_words() {
    size_t free = 0, total = 0;
    if (G::free_memory(&free, &total) != kSuccess) return {};
    return join(" (", free, " of ", total, " bytes are free)");
  }

  // Keeps a block that no work uses, or frees it.
  void keep(Block block) noexcept {
    if (const Block other = cache_.keep(block); other.address != 0) free_now(other);
    keep_to_threshold();
  }
  // Frees a block that no work uses. Without a pool a thread does it, as the driver may wait.
  void free_now(Block block) noexcept {
    if (pool_) return pool_.free(block.address, {});
    count(-static_cast<int64_t>(block.size));
    being_freed_.fetch_add(1, std::memory_order_relaxed);
    device_->state().frees.add({}, [this, address = block.address] {
      G::errors.log_unreleased(G::free(address), kFreeingMemory);
      being_freed_.fetch_sub(1, std::memory_order_relaxed);
    });
  }
  // Frees the blocks that are kept, beyond so many bytes.
  void free_kept(uint64_t beyond) noexcept {
    while (true) {
      const Block kept = cache_.take_beyond(beyond);
      if (kept.address == 0) return;
      free_now(kept);
    }
  }

  bool is_freeing() const noexcept {
    return pool_ ? pool_.is_freeing() : being_freed_.load(std::memory_order_relaxed) != 0;
  }
  void trim_unused() noexcept {
    free_kept(0);
    const auto end = std::chrono::steady_clock::now() + (pool_ ? kForFrees : kForFreesWithoutPool);
    while (is_freeing() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (pool_) pool_.trim_unused();
  }
  void apply_threshold() noexcept {
    try {
      const typename G::Use current(*device_);
      if (pool_) {
        free_kept(0);
        return pool_.apply_threshold();
      }
      while (outside_pool() > threshold_.load(std::memory_order_relaxed)) {
        const Block kept = cache_.take_beyond(0);
        if (kept.address == 0) return;
        free_now(kept);
      }
    } catch (const std::exception &) {  // other calls report that the device is lost
    }
  }

  uint64_t outside_pool() const noexcept {
    return static_cast<uint64_t>(outside_pool_.load(std::memory_order_relaxed));
  }

  Device *device_;
  const StreamPool<Queue<G>> *stream_pool_;
  EventPool<Queue<G>> *events_;
  const OwnedStream<G> stream_;  // for allocations, and frees of memory that no work uses
  MemoryPool<G> pool_;
  BlockCache<Address> cache_{pool_ ? kKeptOfPool : BlockCache<Address>::kMost,
                             pool_ ? kLargestKeptOfPool : UINT64_MAX};
  std::atomic<uint64_t> threshold_{UINT64_MAX};  // bytes
  std::atomic<int64_t> outside_pool_{0};         // bytes, without those being freed
  std::atomic<uint32_t> being_freed_{0};         // blocks that the thread for frees has
};

}  // namespace gpu
}  // namespace nexus_plugin

// Defines nxsTrimMemory and nxsSetReleaseThreshold.
//   NEXUS_PLUGIN_GPU_MEMORY(Gpu, devices)
#define NEXUS_PLUGIN_GPU_MEMORY(Gpu, devices)                               \
  NEXUS_PLUGIN_FUNCTION(TrimMemory, (nxs_id id, uint64_t keep), {           \
    const auto device = (devices).pin(id);                                  \
    device->refuse_lost();                                                  \
    if (device->made_state() == nullptr) return;                            \
    const Gpu::Use current(*device);                                        \
    device->made_state()->memory.trim(keep);                                \
  })                                                                        \
  NEXUS_PLUGIN_FUNCTION(SetReleaseThreshold, (nxs_id id, uint64_t bytes), { \
    const auto device = (devices).pin(id);                                  \
    device->refuse_lost();                                                  \
    const Gpu::Use current(*device);                                        \
    device->state().memory.set_threshold(bytes);                            \
  })

#endif  // NEXUS_PLUGIN_GPU_DEVICE_MEMORY_HPP_
