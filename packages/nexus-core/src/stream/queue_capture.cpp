// SPDX-License-Identifier: Apache-2.0
//
// Captures: work that others submit to a queue's driver stream is recorded instead of run.
#include <mutex>
#include <utility>

#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

void Queue::beginCapture() {
  Ref<Native> work = device_.makeNativeSchedule();  // released after the locks, if it is refused
  const std::lock_guard<std::mutex> capture(capture_mutex_);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended()) failWith(NXS_InvalidStream, "stream is closed; create a new stream.");
    requireAcceptingLocked();
    if (!held_.empty()) {
      failWith(NXS_InvalidOperation,
               "The stream has work that waits for an unsignalled event, so a capture can't begin; "
               "signal the event first, or use another stream.");
    }
    captured_ = work;
    special_.store(true, std::memory_order_release);
  }
  try {
    device_.plugin().call(&nxs_functions::BeginCapture, "begin a capture", id_);
  } catch (const Failure &) {
    (void)takeCaptured();
    throw;
  }
}

Ref<Native> Queue::endCapture() {
  const std::lock_guard<std::mutex> capture(capture_mutex_);
  Ref<Native> work = takeCaptured();
  if (!work) failWith(NXS_InvalidOperation, "The stream captures nothing; begin a capture first.");
  nxs_id command = 0;
  device_.plugin().call(&nxs_functions::EndCapture, "capture the work of a stream", id_, work->id(),
                        &command);
  return work;
}

void Queue::dropCapture() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!captured_) return;
  }
  try {
    (void)endCapture();
  } catch (const Failure &) {  // it was invalid, or another thread has ended it
  }
}

Ref<Native> Queue::takeCaptured() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Ref<Native> work = std::exchange(captured_, {});
  if (work) special_.store(failure_ || !held_.empty(), std::memory_order_release);
  return work;
}

}  // namespace nexus::core
