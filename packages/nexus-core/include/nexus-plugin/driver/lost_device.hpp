// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_LOST_DEVICE_HPP_
#define NEXUS_PLUGIN_LOST_DEVICE_HPP_

#include <nexus-plugin/base/failure.hpp>

#include <atomic>
#include <mutex>

namespace nexus_plugin NXS_HIDDEN {

// The first fatal error of a device, which fails all of its objects. Any thread may use it.
class LostDevice {
 public:
  // Returns NULL if there is none.
  const Failure *failure() const noexcept { return first_.load(std::memory_order_acquire); }

  FailurePtr cause() const {
    const std::lock_guard lock(mutex_);
    return cause_;
  }

  // Throws the fatal error if there is one.
  void refuse() const {
    if (failure() != nullptr) [[unlikely]]
      throw Failed(cause());
  }

  // Makes the failure for the error that make() returns. The first fatal one is kept.
  template <class Make>
  FailurePtr failure_of(bool is_fatal, Make &&make) noexcept {
    try {
      const FailurePtr failure = make_failure(make());
      return is_fatal ? keep(failure) : failure;
    } catch (...) {
      return current_failure();
    }
  }

 private:
  FailurePtr keep(const FailurePtr &failure) {
    const std::lock_guard lock(mutex_);
    if (cause_) return cause_;
    cause_ = failure;
    first_.store(cause_.get(), std::memory_order_release);
    return failure;
  }

  mutable std::mutex mutex_;
  FailurePtr cause_;
  std::atomic<const Failure *> first_{nullptr};
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_LOST_DEVICE_HPP_
