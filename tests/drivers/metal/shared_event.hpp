// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_SHARED_EVENT_HPP_
#define NEXUS_SIMULATED_METAL_SHARED_EVENT_HPP_

#include "device.hpp"

#include <memory>
#include <vector>

namespace metal {

// Calls the blocks of notifyListener:atValue:block:, on threads of its own.
struct MTLSharedEventListener : Object {
  static const Class &kClass;
  MTLSharedEventListener() : Object(kClass) {}
};

// A number that grows, by the host and by work; a smaller one changes nothing.
struct MTLSharedEvent : OfDevice {
  static const Class &kClass;
  explicit MTLSharedEvent(MTLDevice &of) : OfDevice(kClass, of) {}

  MTLDevice *none() { return nullptr; }  // it is of all devices
  uint64_t signaledValue();
  void setSignaledValue(uint64_t value) { (void)signal(value); }
  bool waitUntil(uint64_t value, uint64_t milliseconds);
  void notify(MTLSharedEventListener *listener, uint64_t value, const void *block);

  // By work and the host.
  simulator::Result signal(uint64_t value);
  simulator::Result wait_on_device(uint64_t value);

 private:
  struct Notice {
    uint64_t value;
    std::shared_ptr<Block> block;
  };

  // Under the world's lock.
  uint64_t value_ = 0;
  std::vector<Notice> notices_;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_SHARED_EVENT_HPP_
