// SPDX-License-Identifier: Apache-2.0
//
// The buffer of events to be written to the file of a trace.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>

#include "trace/event_text.hpp"
#include "trace/trace_file.hpp"

namespace nexus::core::trace {

/// Any thread may use it. The buffer is bounded: if the file is too slow for the process' calls,
/// events are lost, and the trace says how many.
class Output {
 public:
  /// Throws NXS_InvalidValue if the file can't be written. limit: the largest size of the file, in
  /// bytes.
  Output(const std::string &path, uint64_t limit);

  /// Returns the track of this thread; the first call for a thread writes its name.
  Track thisThread();
  /// Adds complete events. Returns whether the buffer was empty.
  bool add(const EventText &events) noexcept;
  void lose() noexcept;
  bool empty() const;
  bool full() const;  // should be written now
  void flush() noexcept;

  const std::string &path() const noexcept { return file_.path(); }

 private:
  std::string take() noexcept;

  const int64_t process_;
  mutable std::mutex mutex_;
  std::string text_;                   // under mutex_, as all below
  std::unordered_set<int64_t> named_;  // threads with a name in the trace
  uint64_t lost_ = 0;
  std::mutex file_mutex_;
  TraceFile file_;  // under file_mutex_
};

}  // namespace nexus::core::trace
