// SPDX-License-Identifier: Apache-2.0
//
// The log: lines of the core and of plug-ins, to the user's function or to stderr.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// Whether lines of that level are wanted: at or above NEXUS_LOG (debug, info,
/// warning, error), which is read once; warning where it is not set.
bool logWanted(nxs_log_level level) noexcept;

/// Writes one line where its level is wanted. backend is empty for the core's own.
void logLine(nxs_log_level level, std::string_view backend, std::string_view text) noexcept;

/// Where lines go from now on; NULL: to stderr. Another thread may be in the
/// function that was set before until its line is written.
void setLogSink(nexus_log_fn function, void *context) noexcept;

/// A line that waits.
struct LogLine {
  nxs_log_level level;
  std::string backend;
  std::string text;
};

/// While one lives, the lines of its thread wait; its end writes them. For code that
/// holds a lock, since the user's function may take any lock, such as Python's.
class LogHold {
 public:
  LogHold() noexcept;
  ~LogHold();
  LogHold(const LogHold &) = delete;
  LogHold &operator=(const LogHold &) = delete;

  /// The lines that wait on this thread, for another thread to write.
  static std::vector<LogLine> take();
};

}  // namespace nexus::core
