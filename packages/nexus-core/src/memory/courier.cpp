// SPDX-License-Identifier: Apache-2.0
#include "memory/courier.hpp"

#include <algorithm>
#include <chrono>
#include <nexus-plugin/thread.hpp>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/process.hpp"
#include "memory/crossing.hpp"
#include "memory/staging.hpp"

namespace nexus::core {
namespace {

// How long nothing is copied before the memory for it is freed.
constexpr std::chrono::seconds kIdle{1};

}  // namespace

void Courier::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (started_) {
    return;
  }
  try {
    nexus_plugin::start_thread([this] { run(); }).detach();
    started_ = true;
  } catch (const std::system_error &error) {
    throw Failure(
        NXS_OutOfResources,
        std::string("The thread for copies between devices could not be started: ") + error.what());
  }
}

void Courier::call(Ref<Crossing> crossing) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(crossing->called_, true)) {
    // Ends here, while the list still has one: the last must not end on a plug-in's thread.
    crossing = {};
    return;
  }
  Crossing *added = crossing.detach();
  (first_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  wanted_.notify_one();
}

Ref<Crossing> Courier::takeFirst() noexcept {
  Crossing *taken = first_;
  first_ = std::exchange(taken->next_, nullptr);
  taken->called_ = false;
  return Ref<Crossing>::adopt(taken);
}

void Courier::freeLater() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_later_ = true;
  wanted_.notify_one();
}

void Courier::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (first_ != nullptr) {
      Ref<Crossing> crossing = takeFirst();
      lock.unlock();
      crossing->moveOn();
      crossing = {};
      lock.lock();
    } else if (!std::exchange(free_later_, false)) {
      wanted_.wait(lock, [this] { return first_ != nullptr || free_later_; });
    } else if (!wanted_.wait_for(lock, kIdle, [this] { return first_ != nullptr; })) {
      lock.unlock();
      ofProcess<Staging>().freeUnused();
      lock.lock();
    } else {
      free_later_ = true;
    }
  }
}

// ---- The end of the process ---------------------------------------------------

void Courier::began() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++going_;
}

void Courier::ended() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--going_ == 0) idle_.notify_all();
}

void Courier::finish(const Deadline &deadline) {
  try {
    waitInParts("The copies between devices", deadline, Interrupt::Allowed,
                [this](uint64_t nanoseconds) {
                  std::unique_lock<std::mutex> lock(mutex_);
                  return idle_.wait_for(lock, std::chrono::nanoseconds(nanoseconds),
                                        [this] { return going_ == 0; });
                });
  } catch (const Failure &failure) {
    if (failure.status() != NXS_Timeout) {
      throw;
    }
  }
}

void callCourier(void *context, nxs_status) noexcept {
  ofProcess<Courier>().call(Ref<Crossing>::adopt(static_cast<Crossing *>(context)));
}

}  // namespace nexus::core
