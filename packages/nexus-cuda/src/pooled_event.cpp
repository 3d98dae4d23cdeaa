// SPDX-License-Identifier: Apache-2.0
#include "pooled_event.hpp"

#include "device.hpp"

namespace nexus_cuda NXS_HIDDEN {

CUevent EventPool::take(bool timed) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<CUevent> &idle = idle_[timed ? 1 : 0];
    if (!idle.empty()) {
      const CUevent event = idle.back();
      idle.pop_back();
      return event;
    }
  }
  CUevent made = nullptr;
  device_->check(cu.EventCreate(&made, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
                 "making an event");
  return made;
}

void EventPool::give_back(CUevent event, bool timed) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_[timed ? 1 : 0].push_back(event);
  } catch (const std::bad_alloc &) {
    cu.EventDestroy(event);
  }
}

}  // namespace nexus_cuda
