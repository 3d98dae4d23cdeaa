// SPDX-License-Identifier: Apache-2.0
#include "memory/copy_thread.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/process.hpp"
#include "memory/cross_device_copy.hpp"
#include "memory/staging.hpp"

namespace nexus::core {
namespace {

// Staging memory is freed when nothing was copied for this long.
constexpr std::chrono::seconds kIdle{1};

}  // namespace

void CopyThread::start() {
  const std::lock_guard<std::mutex> lock(mutex_);
  thread_.start("The thread for copies between devices", [this] { run(); });
}

void CopyThread::enqueue(Ref<CrossDeviceCopy> copy) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(copy->enqueued_, true)) {
    // Drop this reference while the list has another: the last one must not be dropped on a
    // plug-in's thread.
    copy = {};
    return;
  }
  CrossDeviceCopy *added = copy.detach();
  (first_ == nullptr ? first_ : last_->next_) = added;
  last_ = added;
  work_added_.notify_one();
}

Ref<CrossDeviceCopy> CopyThread::takeFirst() noexcept {
  CrossDeviceCopy *taken = first_;
  first_ = std::exchange(taken->next_, nullptr);
  taken->enqueued_ = false;
  return Ref<CrossDeviceCopy>::adopt(taken);
}

void CopyThread::freeLater() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  free_later_ = true;
  work_added_.notify_one();
}

void CopyThread::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (first_ != nullptr) {
      Ref<CrossDeviceCopy> copy = takeFirst();
      lock.unlock();
      copy->submitSteps();
      copy = {};
      lock.lock();
    } else if (!std::exchange(free_later_, false)) {
      work_added_.wait(lock, [this] { return first_ != nullptr || free_later_; });
    } else if (!work_added_.wait_for(lock, kIdle, [this] { return first_ != nullptr; })) {
      lock.unlock();
      ofProcess<Staging>().freeUnused();
      lock.lock();
    } else {
      free_later_ = true;
    }
  }
}

// ---- The end of the process ---------------------------------------------------

void CopyThread::addRunning() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++running_;
}

void CopyThread::removeRunning() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--running_ == 0) idle_.notify_all();
}

void CopyThread::finish(const Deadline &deadline) {
  try {
    waitInParts("The copies between devices", deadline, Interrupt::Allowed,
                [this](uint64_t nanoseconds) {
                  std::unique_lock<std::mutex> lock(mutex_);
                  return idle_.wait_for(lock, std::chrono::nanoseconds(nanoseconds),
                                        [this] { return running_ == 0; });
                });
  } catch (const Failure &failure) {
    if (failure.status() != NXS_Timeout) {
      throw;
    }
  }
}

void wakeCopyThread(void *context, nxs_status) noexcept {
  ofProcess<CopyThread>().enqueue(
      Ref<CrossDeviceCopy>::adopt(static_cast<CrossDeviceCopy *>(context)));
}

}  // namespace nexus::core
