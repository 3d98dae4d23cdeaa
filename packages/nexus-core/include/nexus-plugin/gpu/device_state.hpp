// SPDX-License-Identifier: Apache-2.0
// The state that the objects of a device share: pools, deferred frees, and threads that copy.
#ifndef NEXUS_PLUGIN_GPU_DEVICE_STATE_HPP_
#define NEXUS_PLUGIN_GPU_DEVICE_STATE_HPP_

#include <nexus-plugin/gpu/copy_workers.hpp>
#include <nexus-plugin/gpu/device_memory.hpp>
#include <nexus-plugin/gpu/loop_stops.hpp>
#include <nexus-plugin/stream/staging.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// Made while the device is current. Lives as long as the process.
template <class G>
struct DeviceState {
  explicit DeviceState(typename G::Device &device)
      : events(device),
        stream_pool(device),
        frees(device, stream_pool),
        memory(device, stream_pool, events),
        staging(&device, allocate_staging),
        workers(device, events) {}

  EventPool<Queue<G>> events;
  StreamPool<Queue<G>> stream_pool;
  DeferredFrees<Queue<G>> frees;
  DeviceMemory<G> memory;
  Staging staging;
  CopyWorkers<G> workers;
  LoopStops<G> loop_stops;

 private:
  static std::byte *allocate_staging(void *device, uint64_t size) {
    return make_staging<G>(*static_cast<typename G::Device *>(device), size);
  }
};

template <class G>
DeviceState<G> &DeviceBase<G>::make_state() {
  auto &device = static_cast<typename G::Device &>(*this);
  const typename G::Use current(device);
  const std::lock_guard lock(mutex_);
  DeviceState<G> *made = state_.load(std::memory_order_relaxed);
  if (made == nullptr) {
    made = new DeviceState<G>(device);
    state_.store(made, std::memory_order_release);
  }
  return *made;
}

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_DEVICE_STATE_HPP_
