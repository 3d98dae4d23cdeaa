// SPDX-License-Identifier: Apache-2.0
// Pools of the driver, whose memory is allocated and freed in the order of a stream. Beside the
// members in queue.hpp, G has
//
//   using Address = ...;  // of memory in the device's address space: an unsigned integer
//   static bool uses_pools(const Device &device) noexcept;
//   using NativePool = ...;  // a pointer
//   static Result make_pool(NativePool *out, int ordinal) noexcept;  // of memory for no process
//   static Result destroy(NativePool pool) noexcept;
//   static Result allocate(Address *out, uint64_t size, NativePool pool,
//                          NativeStream stream) noexcept;
//   static Result free(Address address, NativeStream stream) noexcept;
//   static Result trim(NativePool pool, uint64_t keep) noexcept;  // counts memory in use too
//   // Lets the device use the pool's memory.
//   static Result let_access(NativePool pool, int ordinal) noexcept;
//   using PoolAttribute = ...;  // a number; of uint64_t, but for the first, an int
//   static constexpr PoolAttribute kPoolWaits = ...;  // whether it reuses memory whose free waits
//   static constexpr PoolAttribute kPoolThreshold = ..., kPoolReserved = ..., kPoolUsed = ...;
//   static Result set_attribute(NativePool pool, PoolAttribute which, void *value) noexcept;
//   static Result get_attribute(NativePool pool, PoolAttribute which, void *value) noexcept;
#ifndef NEXUS_PLUGIN_GPU_MEMORY_POOL_HPP_
#define NEXUS_PLUGIN_GPU_MEMORY_POOL_HPP_

#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/gpu/queue.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

inline constexpr const char *kFreeingMemory = "freeing memory";  // for errors

// Records an event in each stream. Throws the driver's error.
template <class G>
std::vector<EventPtr<G>> record_all(typename G::Device &device, EventPool<Queue<G>> &events,
                                    const BusyStreams<G> &streams) {
  std::vector<EventPtr<G>> recorded;
  for (const auto &each : streams) {
    EventPtr<G> event = EventPtr<G>::make(events, false);
    device.check(G::record(event->get(), each.stream), "recording an event");
    recorded.push_back(std::move(event));
  }
  return recorded;
}

// The memory pool of a device, empty if none is used. Any thread may use it. The device must be
// current.
template <class G>
class MemoryPool {
 public:
  using Device = typename G::Device;
  using Address = typename G::Address;
  using NativeStream = typename G::NativeStream;
  using NativePool = typename G::NativePool;

  // stream: for allocations, and frees of memory that no work uses. Lives longer than the pool.
  MemoryPool(Device &device, NativeStream stream, EventPool<Queue<G>> &events)
      : device_(&device),
        events_(&events),
        stream_(stream),
        freeing_(device),
        pool_(G::uses_pools(device) ? make() : nullptr) {}

  explicit operator bool() const noexcept { return pool_ != nullptr; }
  NativePool get() const noexcept { return pool_; }

  Result allocate(Address *out, uint64_t size) noexcept {
    return G::allocate(out, size, pool_, stream_);
  }
  // Frees memory after the work that is in the streams now. If it throws, it has not.
  void free(Address address, const BusyStreams<G> &busy) {
    if (busy.size() < 2) {
      const NativeStream stream = busy.empty() ? stream_ : busy.front().stream;
      return G::errors.log_unreleased(G::free(address, stream), kFreeingMemory);
    }
    const auto after = record_all<G>(*device_, *events_, busy);
    const std::lock_guard lock(mutex_);
    for (const auto &event : after) {
      device_->check(G::wait(freeing_.get(), event->get()), kFreeingMemory);
    }
    G::errors.log_unreleased(G::free(address, freeing_.get()), kFreeingMemory);
  }
  // Returns whether frees still wait for work.
  bool is_freeing() const noexcept { return G::query(freeing_.get()) == G::kNotReady; }

  // Gives all unused memory back to the driver.
  void trim_unused() noexcept {
    (void)G::synchronize(stream_);
    (void)G::trim(pool_, 0);
  }
  // The same, but for that many bytes. Throws the driver's error.
  void trim(uint64_t keep) {
    device_->check(G::synchronize(stream_), kFreeingMemory);
    const uint64_t used = bytes(G::kPoolUsed);
    const uint64_t all = keep > SIZE_MAX - used ? SIZE_MAX : used + keep;
    device_->check(G::trim(pool_, all), "giving memory back to the driver");
  }
  void set_threshold(uint64_t bytes) {
    device_->check(G::set_attribute(pool_, G::kPoolThreshold, &bytes),
                   "setting how much memory a pool keeps");
  }
  // Gives unused memory beyond the threshold back: the driver does when a stream is synchronized,
  // and waits of ours only query.
  void apply_threshold() noexcept { (void)G::synchronize(stream_); }
  // Returns the bytes that the pool has from the driver.
  uint64_t reserved() const { return bytes(G::kPoolReserved); }

  // Lets the other device use the pool's memory.
  void let_access(Device &other) {
    other.check(G::let_access(pool_, other.ordinal()), "letting a GPU use another one's buffers");
  }

 private:
  // The pool keeps freed memory, and does not reuse memory whose free still waits for work: the
  // allocating stream would have to wait for that work.
  NativePool make() const {
    NativePool pool = nullptr;
    Result made = G::make_pool(&pool, device_->ordinal());
    if (made == kSuccess) {
      uint64_t keep = UINT64_MAX;
      int no = 0;
      made = G::set_attribute(pool, G::kPoolThreshold, &keep);
      if (made == kSuccess) made = G::set_attribute(pool, G::kPoolWaits, &no);
      if (made == kSuccess) return pool;
      G::errors.log_unreleased(G::destroy(pool), "destroying a memory pool");
    }
    if (G::errors.is_fatal(made)) device_->check(made, "making a memory pool");
    log(NXS_LogLevel_Info, "the device '", device_->name(), "' has no memory pool (",
        G::errors.name(made), "); buffers are allocated one by one");
    return nullptr;
  }
  uint64_t bytes(typename G::PoolAttribute which) const {
    uint64_t told = 0;
    device_->check(G::get_attribute(pool_, which, &told), "asking the memory pool");
    return told;
  }

  Device *device_;
  EventPool<Queue<G>> *events_;
  const NativeStream stream_;
  const OwnedStream<G> freeing_;  // for frees that wait for work in several streams
  std::mutex mutex_;              // held while these waits and the free are enqueued
  const NativePool pool_;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_MEMORY_POOL_HPP_
