// SPDX-License-Identifier: Apache-2.0
#include "lanes.hpp"

#include "device.hpp"

namespace nexus_cuda NXS_HIDDEN {

Lane &Lanes::take(int32_t priority) {
  const std::lock_guard lock(mutex_);
  for (const auto &lane : lanes_) {
    if (!lane->taken && lane->priority == priority &&
        cu.StreamQuery(lane->stream) == CUDA_SUCCESS) {
      lane->taken = true;
      return *lane;
    }
  }
  auto made = std::make_unique<Lane>();
  lanes_.reserve(lanes_.size() + 1);
  device_->check(cu.StreamCreateWithPriority(&made->stream, CU_STREAM_NON_BLOCKING, priority),
                 "making a stream");
  made->own = made->stream;
  made->index = static_cast<uint32_t>(lanes_.size());
  made->priority = priority;
  made->taken = true;
  lanes_.push_back(std::move(made));
  return *lanes_.back();
}

void Lanes::give_back(Lane &lane) noexcept {
  const std::lock_guard lock(mutex_);
  lane.taken = false;
}

void Lanes::lead(Lane &lane, CUstream stream) noexcept {
  const std::lock_guard lock(mutex_);
  lane.stream = stream;
}

std::vector<CUstream> Lanes::busy(LaneSet among) const {
  std::vector<CUstream> found;
  if (among == 0) return found;
  const std::lock_guard lock(mutex_);
  for (const auto &lane : lanes_) {
    if ((among & lane_bit(lane->index)) != 0 && cu.StreamQuery(lane->stream) != CUDA_SUCCESS) {
      found.push_back(lane->stream);
    }
  }
  return found;
}

}  // namespace nexus_cuda
