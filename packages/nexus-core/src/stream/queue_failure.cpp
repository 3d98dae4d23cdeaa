// SPDX-License-Identifier: Apache-2.0
//
// Failures of queues: their text, and whether they were reported.
#include "base/error_record.hpp"
#include "stream/device_queues.hpp"
#include "stream/queue.hpp"

namespace nexus::core {
namespace {

constexpr const char *kFinish = "finish the work of a stream";
constexpr const char *kTakeMore = "take more work in a stream whose earlier work has failed";

}  // namespace

// ---- Text ----------------------------------------------------------------------

Failure Queue::failureOf(const nxs_completion &completion, const char *what) {
  return device_.plugin()
      .failure(completion.status, completion.error, what)
      .with(placeOf(completion));
}

std::optional<Failure> Queue::outcome(nxs_ticket ticket) {
  while (!isCompleted(ticket)) {
    const nxs_completion completion = ask(ticket, kWaitSlice);
    if (completion.state == NXS_CompletionState_Failed) {
      return failureOf(completion, kFinish);
    }
  }
  return std::nullopt;
}

std::string Queue::ownPlace(const nxs_completion &completion) {
  const WorkLog::Found found = log_.firstAfter(completion.completed);
  if (found.forgotten) {
    return "It was submitted more than " + std::to_string(WorkLog::kSize) +
           " submissions ago, and what it was is not known any more; NEXUS_LAYERS=sync names the "
           "one that failed.";
  }
  return found.name.notComplete();
}

std::string Queue::placeOf(const nxs_completion &completion) {
  if (const auto record = findErrorRecord(completion.error); record && !record->place.empty()) {
    return record->place;
  }
  std::string place = ownPlace(completion);
  if (place.empty() && completion.error != 0) {
    // The first work that is not complete is a wait for a stream that failed with the same error
    // record.
    for (const Ref<Queue> &other : queuesOf(device_.runtime())) {
      const nxs_completion newest = other.get() == this ? completion : other->askNewest();
      if (newest.state == NXS_CompletionState_Failed && newest.error == completion.error) {
        place = other->ownPlace(newest);
      }
      if (!place.empty()) break;
    }
  }
  if (!place.empty()) setErrorPlace(completion.error, place);
  return place;
}

nxs_completion Queue::askNewest() noexcept {
  try {
    return ask(newestTicket(), 0);
  } catch (const Failure &) {
    return {};  // the device is lost
  }
}

// ---- Reporting -----------------------------------------------------------------

void Queue::throwOwnFailure() {
  reported_.store(Reported::Failure, std::memory_order_release);
  throw *failure_;
}

void Queue::throwCompletion(const nxs_completion &completion, const char *what) {
  reported_.store(Reported::Failure, std::memory_order_release);
  throw failureOf(completion, what);
}

void Queue::throwIfFailed(const nxs_completion &completion) {
  if (completion.state == NXS_CompletionState_Failed) {
    throwCompletion(completion, kFinish);
  }
}

void Queue::throwFailure(QueuePosition position) {
  nxs_ticket ticket = position;
  if ((position & kHeld) != 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::optional<nxs_ticket> resolved = resolve(position);
    if (!resolved) {
      return;
    }
    ticket = *resolved;
  }
  if (isCompleted(ticket)) {
    return;
  }
  throwIfFailed(ask(ticket, 0));
}

void Queue::throwIfFailed() {
  const nxs_completion completion = ask(kStreamItself, 0);
  if (completion.state == NXS_CompletionState_Failed) {
    throwCompletion(completion, kTakeMore);
  }
}

void Queue::explainRefusal(bool report) {
  nxs_completion completion{};
  try {
    completion = ask(kStreamItself, 0);
  } catch (const Failure &) {
    // The caller gets the refusal itself, which says more than the failure of this query.
    if (report) reported_.store(Reported::Failure, std::memory_order_release);
    return;
  }
  const bool failed = completion.state == NXS_CompletionState_Failed;
  if (failed && !allSubmittedComplete(completion)) {
    if (report) throwCompletion(completion, kTakeMore);
    throw failureOf(completion, kTakeMore);
  }
  if (report && failed) {
    reported_.store(Reported::Failure, std::memory_order_release);
  } else if (report && completion.state == NXS_CompletionState_Running) {
    Reported nothing = Reported::Nothing;
    reported_.compare_exchange_strong(nothing, Reported::Refusal, std::memory_order_acq_rel);
  }
}

bool Queue::allSubmittedComplete(const nxs_completion &completion) const noexcept {
  return completion.completed >= newestTicket();
}

// A refusal was reported while earlier work ran, when the plug-in could not say yet whether the
// stream had failed. Asks again.
bool Queue::refusalWasFailure() {
  nxs_completion completion{};
  try {
    completion = ask(kStreamItself, 0);
  } catch (const Failure &) {
    return true;  // treat a lost device as reported
  }
  if (completion.state == NXS_CompletionState_Failed && allSubmittedComplete(completion)) {
    reported_.store(Reported::Failure, std::memory_order_release);
    return true;
  }
  if (completion.state == NXS_CompletionState_Completed) {
    Reported refusal = Reported::Refusal;
    reported_.compare_exchange_strong(refusal, Reported::Nothing, std::memory_order_acq_rel);
  }
  return false;
}

}  // namespace nexus::core
