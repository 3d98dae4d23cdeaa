// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of a queue's newest tickets, for the error messages of failed work. Noting one at
// each submission allocates nothing.
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

/// Descriptions of a schedule's commands, for its runs. Immutable, so any thread may read it. It
/// does not reference the objects of the commands, so a log keeps none of them alive.
class Recording final : public Counted {
 public:
  /// schedule: "schedule 12"; commands: each as "1 (kernel 'scale')", with its index, or, of a
  /// nested schedule, "2 (schedule 7: command 0 (copy))".
  Recording(std::string schedule, std::vector<std::string> commands)
      : schedule_(std::move(schedule)), commands_(std::move(commands)) {}

  /// "schedule 12, run 3: commands 1 (kernel 'scale') to 4 (copy)".
  std::string nameRun(uint64_t run, std::size_t first, std::size_t last) const;
  std::size_t commandCount() const noexcept { return commands_.size(); }

 private:
  const std::string schedule_;
  const std::vector<std::string> commands_;
};

/// A description of one submission: commands of a schedule's run, other work, or nothing.
struct WorkName {
  const char *what = nullptr;  // other work: a literal such as "a copy to the host"
  Ref<Recording> recording;    // a run of a schedule, with the members below
  uint64_t run = 0;            // counted from 1
  std::size_t first = 0;       // indices of the commands submitted together
  std::size_t last = 0;

  bool empty() const noexcept { return what == nullptr && !recording; }
  /// Returns a sentence for the error of submitted work that failed; this is the first that is not
  /// known to be complete. Empty without a description.
  std::string notComplete() const;
  /// Returns a sentence for the error of refused work. Empty without a description.
  std::string notSubmitted() const;
  /// Returns the text of an error that says why the work failed.
  std::string failed(const std::string &why) const;
};

/// The newest submissions of one queue. Any thread may use it; its lock is contended only when two
/// threads submit to the queue at the same time.
class WorkLog {
 public:
  /// Notes name for ticket. An empty name keeps the one noted before.
  void note(nxs_ticket ticket, const WorkName &name) noexcept;
  /// The newest noted ticket; 0 before the first.
  nxs_ticket newest() const noexcept { return newest_.load(std::memory_order_relaxed); }

  struct Found {
    WorkName name;
    bool forgotten = false;  // older than the log reaches
  };
  /// Returns the first submission after a ticket; empty if it has no description.
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
  nxs_ticket forgotten_ = 0;          // the newest overwritten ticket
};

}  // namespace nexus::core
