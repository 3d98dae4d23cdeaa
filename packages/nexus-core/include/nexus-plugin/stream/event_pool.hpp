// SPDX-License-Identifier: Apache-2.0
// Pools of the driver's events: making an event costs far more than recording one again.
#ifndef NEXUS_PLUGIN_EVENT_POOL_HPP_
#define NEXUS_PLUGIN_EVENT_POOL_HPP_

#include <nexus-plugin/base/shared.hpp>

#include <mutex>
#include <new>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The unused events of one device, with and without timing. Lives as long as the process. Any
// thread may use it. Driver has
//
//   using Device = ...;
//   using NativeEvent = ...;
//   static NativeEvent make_event(Device &device, bool timed);  // throws the driver's error
//   static void destroy_event(NativeEvent event) noexcept;
template <class Driver>
class EventPool {
 public:
  using Device = typename Driver::Device;
  using NativeEvent = typename Driver::NativeEvent;

  explicit EventPool(Device &device) : device_(&device) {}

  NativeEvent take(bool timed) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<NativeEvent> &idle = idle_[timed ? 1 : 0];
      if (!idle.empty()) {
        const NativeEvent event = idle.back();
        idle.pop_back();
        return event;
      }
    }
    return Driver::make_event(*device_, timed);
  }

  void give_back(NativeEvent event, bool timed) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      idle_[timed ? 1 : 0].push_back(event);
    } catch (const std::bad_alloc &) {
      Driver::destroy_event(event);
    }
  }

 private:
  Device *device_;
  std::mutex mutex_;
  std::vector<NativeEvent> idle_[2];
};

// An event of the pool, given back by the destructor.
template <class Driver>
class PooledEvent {
 public:
  PooledEvent(EventPool<Driver> &pool, bool timed)
      : pool_(&pool), timed_(timed), event_(pool.take(timed)) {}
  ~PooledEvent() { pool_->give_back(event_, timed_); }
  PooledEvent(const PooledEvent &) = delete;
  PooledEvent &operator=(const PooledEvent &) = delete;

  typename Driver::NativeEvent get() const noexcept { return event_; }

 private:
  EventPool<Driver> *pool_;
  const bool timed_;
  typename Driver::NativeEvent event_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_EVENT_POOL_HPP_
