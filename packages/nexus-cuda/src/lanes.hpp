// SPDX-License-Identifier: Apache-2.0
// The driver's streams of a device.
#ifndef NEXUS_CUDA_LANES_HPP_
#define NEXUS_CUDA_LANES_HPP_

#include "driver.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// One stream of the driver's. It outlives the stream of ours that it served, since work may still
// be in it, and serves another when it is idle. Where it serves one over the default stream, work
// goes there.
struct Lane {
  CUstream stream = nullptr;  // that has all the work
  CUstream own = nullptr;
  uint32_t index = 0;
  int32_t priority = 0;
  bool taken = false;
};

// A set of lanes: those that may have work with a buffer.
using LaneSet = uint64_t;

// Lanes beyond have one bit together.
inline constexpr uint32_t kLastLaneBit = 63;
constexpr LaneSet lane_bit(uint32_t index) noexcept {
  return LaneSet{1} << (index < kLastLaneBit ? index : kLastLaneBit);
}
inline constexpr LaneSet kAllLanes = ~LaneSet{0};

// Any thread; the device's context is current.
class Lanes {
 public:
  explicit Lanes(Device &device) : device_(&device) {}

  // Throws what the driver says.
  Lane &take(int32_t priority);
  void give_back(Lane &lane) noexcept;
  // Work of a lane that was taken goes to a stream that never ends, until it comes back.
  void lead(Lane &lane, CUstream stream) noexcept;
  void lead_back(Lane &lane) noexcept { lead(lane, lane.own); }

  // The streams among those of a set that have unfinished work, also where they have failed.
  std::vector<CUstream> busy(LaneSet among) const;

 private:
  Device *device_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LANES_HPP_
