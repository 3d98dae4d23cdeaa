// SPDX-License-Identifier: Apache-2.0
//
// What waits to be written to the file of a trace.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>

#include "trace/event_text.hpp"
#include "trace/trace_file.hpp"

namespace nexus::core::trace {

/// Any thread. Keeps a bounded number of bytes: where the file is too slow for a process that calls
/// without end, events are lost and the trace says how many.
class Output {
 public:
  /// Throws NXS_InvalidValue where the file can't be written. limit: bytes of the file at most.
  Output(const std::string &path, uint64_t limit);

  /// The track of this thread, which is named when it is asked for first.
  Track thisThread();
  /// Adds events, whole ones. Says whether there were none before.
  bool add(const EventText &events) noexcept;
  /// Counts something that the trace lacks.
  void lose() noexcept;
  bool empty() const;
  bool full() const;  // it is time to write
  /// Writes what was added.
  void flush() noexcept;

  const std::string &path() const noexcept { return file_.path(); }

 private:
  std::string take() noexcept;

  const int64_t process_;
  mutable std::mutex mutex_;
  std::string text_;                   // under mutex_, as all below
  std::unordered_set<int64_t> named_;  // threads
  uint64_t lost_ = 0;
  std::mutex file_mutex_;
  TraceFile file_;  // under file_mutex_
};

}  // namespace nexus::core::trace
