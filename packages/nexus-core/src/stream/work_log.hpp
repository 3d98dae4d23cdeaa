// SPDX-License-Identifier: Apache-2.0
//
// What the tickets of a queue stand for, in words: read when work has failed, and written at
// each submission, where it allocates nothing.
#pragma once

#include <nexus-api/nxs.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/ref.hpp"

namespace nexus::core {

/// A schedule's commands in words, as its runs find them. Immutable, so any thread may read it,
/// and without references to what the commands use: a log keeps none of that alive.
class Recording final : public Counted {
 public:
  /// schedule: "schedule 12"; commands: each as "kernel 'scale'" or "copy".
  Recording(std::string schedule, std::vector<std::string> commands)
      : schedule_(std::move(schedule)), commands_(std::move(commands)) {}

  /// "schedule 12, run 3: commands 1 (kernel 'scale') to 4 (copy)".
  std::string nameRun(uint64_t run, std::size_t first, std::size_t last) const;
  std::size_t commandCount() const noexcept { return commands_.size(); }

 private:
  const std::string schedule_;
  const std::vector<std::string> commands_;
};

/// One submission: commands of a schedule's run, or anything else, or nothing worth a word.
struct WorkName {
  const char *what = nullptr;  // of anything else: a literal such as "a copy to the host"
  Ref<Recording> recording;    // of a run, with the rest
  uint64_t run = 0;            // counted from 1
  std::size_t first = 0;       // the commands submitted together, by their indices
  std::size_t last = 0;

  bool empty() const noexcept { return what == nullptr && !recording; }
  /// A sentence for the error of work that failed later: the first not known complete. Empty
  /// for nothing.
  std::string notComplete() const;
  /// A sentence for the error of work that was refused. Empty for nothing.
  std::string notSubmitted() const;
};

/// The newest submissions of one queue. Any thread; nobody waits for another but for two that
/// submit to one queue at the same time.
class WorkLog {
 public:
  /// name is what ticket stands for; an empty one leaves what was noted for it.
  void note(nxs_ticket ticket, const WorkName &name) noexcept;
  /// The newest ticket that was noted; 0 before the first.
  nxs_ticket newest() const noexcept { return newest_.load(std::memory_order_relaxed); }

  struct Found {
    WorkName name;
    bool forgotten = false;  // older than the log reaches
  };
  /// The first submission after a ticket; empty where that has no name.
  Found firstAfter(nxs_ticket completed);

  static constexpr std::size_t kSize = 32;

 private:
  struct Entry {
    nxs_ticket ticket = 0;
    WorkName name;
  };

  std::atomic<nxs_ticket> newest_{0};  // changed under mutex_
  std::mutex mutex_;
  std::array<Entry, kSize> entries_;  // under mutex_, as all below; by ticket modulo kSize
  nxs_ticket forgotten_ = 0;          // the newest that was overwritten
};

}  // namespace nexus::core
