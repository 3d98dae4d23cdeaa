// SPDX-License-Identifier: Apache-2.0
//
// The file of a trace, the buffer of its events, and the system's numbers and names of this process
// and its threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "trace/event_text.hpp"

namespace nexus::core::trace {

/// Returns the nanoseconds since this process' trace began.
int64_t now() noexcept;

int64_t processNumber() noexcept;
/// Only one thread may use it at a time. The file stays open and locked until the process exits, so
/// that another process with the same path writes to a file with its own number.
class TraceFile {
 public:
  /// Empties the file and writes first_event, in EventText's form without ",\n". limit: the largest
  /// size in bytes. Throws NXS_InvalidValue if it can't be written.
  TraceFile(const std::string &path, std::string_view first_event, uint64_t limit);
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;

  /// Appends complete events in EventText's form. Events that can't be written, or would exceed the
  /// limit, are lost; stderr gets one message.
  void append(std::string events) noexcept;

 private:
  bool writeAt(uint64_t offset, std::string_view text) const noexcept;
  void stop(const char *why) noexcept;

  std::string path_;
  int descriptor_ = -1;
  uint64_t limit_ = 0;
  uint64_t end_ = 0;  // offset of the next event, which overwrites the end of the list
  bool stopped_ = false;
};

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
