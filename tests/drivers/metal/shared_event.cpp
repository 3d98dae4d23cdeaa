// SPDX-License-Identifier: Apache-2.0
#include "shared_event.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

using simulator::kSuccess;
using simulator::Lock;
using simulator::world;

namespace metal {

const Class &MTLSharedEventListener::kClass =
    *new Class("MTLSharedEventListener", nullptr, {},
               {alloc<MTLSharedEventListener>(), new_object<MTLSharedEventListener>()});

const Class &MTLSharedEvent::kClass =
    *new Class("MTLSharedEvent", "OfDevice",
               {getter<&MTLSharedEvent::none>("device"),
                method<&MTLSharedEvent::signaledValue>("signaledValue"),
                method<&MTLSharedEvent::setSignaledValue>("setSignaledValue:"),
                method<&MTLSharedEvent::waitUntil>("waitUntilSignaledValue:timeoutMS:"),
                method<&MTLSharedEvent::notify>("notifyListener:atValue:block:")});

uint64_t MTLSharedEvent::signaledValue() {
  const Lock lock(world().mutex);
  return value_;
}

bool MTLSharedEvent::waitUntil(uint64_t value, uint64_t milliseconds) {
  Lock lock(world().mutex);
  return world().changed.wait_for(lock, std::chrono::milliseconds(milliseconds),
                                  [&] { return value_ >= value; });
}

void MTLSharedEvent::notify(MTLSharedEventListener *listener, uint64_t value, const void *block) {
  if (listener == nullptr) die("notifyListener:atValue:block: without a listener");
  uint64_t reached;
  {
    const Lock lock(world().mutex);
    notices_.push_back({value, std::make_shared<Block>(block)});
    reached = value_;
  }
  (void)signal(reached);
}

simulator::Result MTLSharedEvent::signal(uint64_t value) {
  std::vector<Notice> due;
  {
    const Lock lock(world().mutex);
    value_ = std::max(value_, value);
    std::erase_if(notices_, [&](const Notice &each) {
      if (each.value > value_) return false;
      due.push_back(each);
      return true;
    });
    world().changed.notify_all();
  }
  for (const Notice &each : due) {
    std::thread([each, kept = Ref<MTLSharedEvent>(this)] {
      (*each.block)(kept.get(), each.value);
    }).detach();
  }
  return kSuccess;
}

simulator::Result MTLSharedEvent::wait_on_device(uint64_t value) {
  Lock lock(world().mutex);
  world().changed.wait(lock, [&] { return value_ >= value; });
  return kSuccess;
}

}  // namespace metal
