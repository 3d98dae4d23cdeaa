// SPDX-License-Identifier: Apache-2.0
// Numbers in host memory that work on a device reads, by which its loops are ended. The device
// needs no call of the driver for that, and it works however busy it is. Needs the members in
// host_copy.hpp and buffer.hpp of G.
#ifndef NEXUS_PLUGIN_GPU_LOOP_STOPS_HPP_
#define NEXUS_PLUGIN_GPU_LOOP_STOPS_HPP_

#include <nexus-plugin/gpu/device.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// One number for each pooled stream. The memory is allocated when it is first needed.
template <class G>
class LoopStops {
 public:
  // The device must be current, if it is the first call.
  void set(typename G::Device &device, uint32_t stream, uint32_t number) {
    const std::lock_guard lock(mutex_);
    if (stream >= kMost) {
      throw Error(NXS_OutOfResources, "the device '", device.name(), "' has more than ", kMost,
                  " streams; release some before you run loops");
    }
    if (host_ == nullptr) {
      void *made = nullptr;
      constexpr const char *kAllocating = "allocating memory by which loops are ended";
      device.check(G::allocate_host(&made, kMost * sizeof(uint32_t)), kAllocating);
      device.check(G::device_address(&device_address_, made), kAllocating);
      host_ = static_cast<uint32_t *>(made);
    }
    std::atomic_ref(host_[stream]).store(number, std::memory_order_release);
  }
  // Valid after set().
  typename G::Address address(uint32_t stream) const noexcept {
    return device_address_ + stream * sizeof(uint32_t);
  }

 private:
  static constexpr uint32_t kMost = 4096;

  std::mutex mutex_;
  uint32_t *host_ = nullptr;  // never freed
  typename G::Address device_address_{};
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_LOOP_STOPS_HPP_
