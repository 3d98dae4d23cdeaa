// SPDX-License-Identifier: Apache-2.0
// The driver's events, which are used again.
#ifndef NEXUS_CUDA_POOLED_EVENT_HPP_
#define NEXUS_CUDA_POOLED_EVENT_HPP_

#include "driver.hpp"

#include <mutex>
#include <nexus-plugin/shared.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// The events of one device that nobody uses now, with a clock and without. Lives as long as the
// process. Any thread.
class EventPool {
 public:
  explicit EventPool(Device &device) : device_(&device) {}

  Device &device() const noexcept { return *device_; }
  // With the device's context current.
  CUevent take(bool timed);
  void give_back(CUevent event, bool timed) noexcept;

 private:
  Device *device_;
  std::mutex mutex_;
  std::vector<CUevent> idle_[2];
};

// One event, for its owners.
class PooledEvent {
 public:
  // With the device's context current. Throws what the driver says.
  PooledEvent(EventPool &pool, bool timed)
      : pool_(&pool), timed_(timed), event_(pool.take(timed)) {}
  ~PooledEvent() { pool_->give_back(event_, timed_); }
  PooledEvent(const PooledEvent &) = delete;
  PooledEvent &operator=(const PooledEvent &) = delete;

  CUevent get() const noexcept { return event_; }

 private:
  EventPool *pool_;
  const bool timed_;
  CUevent event_;
};

using EventPtr = nexus_plugin::Shared<PooledEvent>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_POOLED_EVENT_HPP_
