// SPDX-License-Identifier: Apache-2.0
//
// The file of a trace, which is a complete JSON text whenever nothing is being written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexus::core::trace {

/// One thread at a time. The file stays open as long as the process, which by that holds its name:
/// another one that is told the same name writes to one with its own number.
class TraceFile {
 public:
  /// Empties the file. first_event is its first, as EventText has it but without ",\n". Throws
  /// NXS_InvalidValue where it can't be written. limit: bytes that it gets at most.
  TraceFile(const std::string &path, std::string_view first_event, uint64_t limit);
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;

  /// Appends events as EventText has them, whole ones. Events that can't be written, or would take
  /// the file beyond its limit, are lost; stderr is told once.
  void append(std::string events) noexcept;

  const std::string &path() const noexcept { return path_; }

 private:
  bool writeAt(uint64_t offset, std::string_view text) const noexcept;
  void stop(const char *why) noexcept;

  std::string path_;
  int descriptor_ = -1;
  uint64_t limit_ = 0;
  uint64_t end_ = 0;  // where the next event goes: over the end of the list
  bool stopped_ = false;
};

}  // namespace nexus::core::trace
