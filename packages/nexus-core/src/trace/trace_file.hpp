// SPDX-License-Identifier: Apache-2.0
//
// The file of a trace, which is complete JSON after each write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexus::core::trace {

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

  const std::string &path() const noexcept { return path_; }

 private:
  bool writeAt(uint64_t offset, std::string_view text) const noexcept;
  void stop(const char *why) noexcept;

  std::string path_;
  int descriptor_ = -1;
  uint64_t limit_ = 0;
  uint64_t end_ = 0;  // offset of the next event, which overwrites the end of the list
  bool stopped_ = false;
};

}  // namespace nexus::core::trace
