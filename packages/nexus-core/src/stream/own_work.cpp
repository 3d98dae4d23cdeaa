// SPDX-License-Identifier: Apache-2.0
#include "stream/own_work.hpp"

#include <chrono>

#include "base/error.hpp"
#include "base/process.hpp"

namespace nexus::core {

OwnWork::Hold::Hold() {
  ofProcess<OwnWork>().add();
}

OwnWork::Hold::~Hold() {
  ofProcess<OwnWork>().remove();
}

void OwnWork::add() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++count_;
}

void OwnWork::remove() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  --count_;
  fewer_.notify_all();
}

bool OwnWork::finish(const Deadline &deadline, std::size_t except) {
  struct Finishing {
    explicit Finishing(std::atomic<int> &threads) noexcept : count(threads) { ++count; }
    ~Finishing() { --count; }
    std::atomic<int> &count;
  } const finishing(finishing_);
  try {
    waitInParts("The work of libnexus", deadline, Interrupt::Allowed, [&](uint64_t nanoseconds) {
      std::unique_lock<std::mutex> lock(mutex_);
      return fewer_.wait_for(lock, std::chrono::nanoseconds(nanoseconds),
                             [&] { return count_ <= except; });
    });
    return true;
  } catch (const Failure &failure) {
    if (failure.status() != NXS_Timeout) throw;
    return false;
  }
}

}  // namespace nexus::core
