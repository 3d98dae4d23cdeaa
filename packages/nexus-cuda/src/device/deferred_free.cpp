// SPDX-License-Identifier: Apache-2.0
#include "device/deferred_free.hpp"

#include "device/context.hpp"
#include "device/device_state.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nexus-plugin/thread.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::chrono::milliseconds kLookForEnds{1};

}  // namespace

struct DeferredFree {
  Device *device;
  std::vector<EventPtr> after;
  StreamSet users;
  std::function<void()> free;

  // A failed device frees nothing any more: then there is nothing to wait for.
  bool due() const noexcept {
    try {
      const CurrentContext current(*device);
      const bool ended = std::none_of(after.begin(), after.end(), [](const EventPtr &event) {
        return nexus_plugin::still_runs<Queue>([&] { return Queue::query(event); });
      });
      return ended && device->state().stream_pool.busy(users).empty();
    } catch (const std::exception &) {
      return true;
    }
  }
  void run() noexcept {
    try {
      const CurrentContext current(*device);
      free();
      after.clear();
    } catch (const std::exception &) {  // the device is lost, and what it had with it
    }
  }
};

class FreeThread {
 public:
  void take(DeferredFree each) {
    const std::lock_guard lock(mutex_);
    frees_.push_back(std::move(each));
    if (!started_) nexus_plugin::start_thread(&FreeThread::serve, this).detach();
    started_ = true;
    changed_.notify_one();
  }

 private:
  static void serve(FreeThread *self) noexcept {
    while (true) self->next().run();
  }

  DeferredFree next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto due = std::find_if(frees_.begin(), frees_.end(),
                                    [](const DeferredFree &each) { return each.due(); });
      if (due != frees_.end()) {
        DeferredFree found = std::move(*due);
        frees_.erase(due);
        return found;
      }
      if (frees_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, kLookForEnds);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DeferredFree> frees_;
  bool started_ = false;
};

FreeThread *make_free_thread() {
  return new FreeThread;
}

void free_later(Device &device, std::vector<EventPtr> after, std::function<void()> free) noexcept {
  try {
    device.state().free_thread->take({&device, std::move(after), 0, std::move(free)});
  } catch (const std::exception &) {
  }
}

void free_when_idle(Device &device, StreamSet users, std::function<void()> free) noexcept {
  try {
    device.state().free_thread->take({&device, {}, users, std::move(free)});
  } catch (const std::exception &) {
  }
}

}  // namespace nexus_cuda
