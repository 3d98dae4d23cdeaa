// SPDX-License-Identifier: Apache-2.0
#include "janitor.hpp"

#include "context.hpp"
#include "device_state.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nexus-plugin/thread.hpp>
#include <thread>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::chrono::milliseconds kLookForChores{1};

struct Chore {
  Device *device;
  std::vector<EventPtr> after;
  LaneSet lanes;
  std::function<void()> clean;

  // A failed device frees nothing any more: then there is nothing to wait for.
  bool due() const noexcept {
    try {
      const CurrentContext current(*device);
      const bool ended = std::none_of(after.begin(), after.end(), [](const EventPtr &event) {
        return still_runs([&] { return cu.EventQuery(event->get()); });
      });
      return ended && device->state().lanes.busy(lanes).empty();
    } catch (const std::exception &) {
      return true;
    }
  }
  void run() noexcept {
    try {
      const CurrentContext current(*device);
      clean();
      after.clear();
    } catch (const std::exception &) {  // the device is lost, and what it had with it
    }
  }
};

class Janitor {
 public:
  void take(Chore chore) {
    const std::lock_guard lock(mutex_);
    chores_.push_back(std::move(chore));
    if (!started_) nexus_plugin::start_thread(&Janitor::serve, this).detach();
    started_ = true;
    changed_.notify_one();
  }

 private:
  static void serve(Janitor *self) noexcept {
    while (true) self->next().run();
  }

  Chore next() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto due = std::find_if(chores_.begin(), chores_.end(),
                                    [](const Chore &chore) { return chore.due(); });
      if (due != chores_.end()) {
        Chore found = std::move(*due);
        chores_.erase(due);
        return found;
      }
      if (chores_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, kLookForChores);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Chore> chores_;
  bool started_ = false;
};

// Never destroyed: its thread runs until the process ends.
Janitor &janitor() {
  static Janitor *const made = new Janitor;
  return *made;
}

}  // namespace

void clean_later(Device &device, std::vector<EventPtr> after,
                 std::function<void()> clean) noexcept {
  try {
    janitor().take({&device, std::move(after), 0, std::move(clean)});
  } catch (const std::exception &) {
  }
}

void clean_when_idle(Device &device, LaneSet lanes, std::function<void()> clean) noexcept {
  try {
    janitor().take({&device, {}, lanes, std::move(clean)});
  } catch (const std::exception &) {
  }
}

}  // namespace nexus_cuda
