// SPDX-License-Identifier: Apache-2.0
// The driver's streams of a device.
#ifndef NEXUS_CUDA_STREAM_POOL_HPP_
#define NEXUS_CUDA_STREAM_POOL_HPP_

#include "driver/driver.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// One stream of the driver's. It outlives the stream of ours that it served, since work may still
// be in it, and serves another when it is idle. Where it serves one over the default stream, work
// goes there.
struct PooledStream {
  CUstream stream = nullptr;  // that has all the work
  CUstream own = nullptr;
  uint32_t index = 0;
  int32_t priority = 0;
  bool taken = false;
};

// A set of pooled streams: those that may have work with a buffer.
using StreamSet = uint64_t;

// Streams beyond have one bit together.
inline constexpr uint32_t kLastStreamBit = 63;
constexpr StreamSet stream_bit(uint32_t index) noexcept {
  return StreamSet{1} << (index < kLastStreamBit ? index : kLastStreamBit);
}
inline constexpr StreamSet kAllStreams = ~StreamSet{0};

// Any thread; the device's context is current.
class StreamPool {
 public:
  explicit StreamPool(Device &device) : device_(&device) {}

  // Throws what the driver says.
  PooledStream &take(int32_t priority);
  void give_back(PooledStream &pooled) noexcept;
  // Work of one that was taken goes to a stream that never ends, until it is redirected back.
  void redirect(PooledStream &pooled, CUstream stream) noexcept;
  void redirect_back(PooledStream &pooled) noexcept { redirect(pooled, pooled.own); }

  // The streams among those of a set that have unfinished work, also where they have failed.
  std::vector<CUstream> busy(StreamSet among) const;

 private:
  Device *device_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<PooledStream>> all_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_STREAM_POOL_HPP_
