// SPDX-License-Identifier: Apache-2.0
#include "stream/work_log.hpp"

#include <algorithm>

namespace nexus::core {
namespace {

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::string Recording::nameRun(uint64_t run, std::size_t first, std::size_t last) const {
  const std::string text = schedule_ + ", run " + std::to_string(run) + ": command";
  return first == last ? text + " " + commands_[first]
                       : text + "s " + commands_[first] + " to " + commands_[last];
}

std::string WorkName::notComplete() const {
  if (empty()) return {};
  if (!recording) return capitalized(what) + " is not known complete.";
  std::string text = capitalized(recording->nameRun(run, first, last));
  text += first == last ? " is not known complete" : " are not known complete";
  if (last + 1 < recording->commandCount()) {
    text += ", nor are those after ";
    text += first == last ? "it" : "them";
  }
  return text + (first == last ? "." : "; NEXUS_LAYERS=sync names the one that failed.");
}

std::string WorkName::notSubmitted() const {
  if (empty()) return {};
  if (!recording) return capitalized(what) + " was not submitted.";
  return capitalized(recording->nameRun(run, first, last)) +
         (first == last ? " was not submitted." : " were not submitted.");
}

std::string WorkName::failed(const std::string &why) const {
  return capitalized(recording ? recording->nameRun(run, first, last) : what) + " failed: " + why;
}

// Runs of one schedule keep its recording in the entry, which saves reference counting.
void WorkLog::note(nxs_ticket ticket, const WorkName &name) noexcept {
  Ref<Recording> before;  // destroyed outside the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (newest() < ticket) newest_.store(ticket, std::memory_order_relaxed);
  Entry &entry = entries_[ticket % kSize];
  if (entry.ticket == ticket && name.empty()) return;
  if (entry.ticket != ticket) {
    forgotten_ = std::max(forgotten_, std::min(entry.ticket, ticket));
    if (entry.ticket > ticket) {
      return;  // another thread's newer ticket
    }
  }
  entry.ticket = ticket;
  if (entry.name.recording.get() != name.recording.get()) {
    before = std::exchange(entry.name.recording, name.recording);
  }
  entry.name.what = name.what;
  entry.name.run = name.run;
  entry.name.first = name.first;
  entry.name.last = name.last;
}

WorkLog::Found WorkLog::firstAfter(nxs_ticket completed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (forgotten_ > completed) return {{}, true};
  const Entry *first = nullptr;
  for (const Entry &entry : entries_) {
    if (entry.ticket > completed && (first == nullptr || entry.ticket < first->ticket)) {
      first = &entry;
    }
  }
  return {first == nullptr ? WorkName{} : first->name, false};
}

}  // namespace nexus::core
