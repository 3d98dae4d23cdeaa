// SPDX-License-Identifier: Apache-2.0
//
// The log: lines of the core and of plug-ins, to the user's function or to stderr.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// Returns whether lines of that level are written: at or above NEXUS_LOG (debug, info, warning,
/// error), which is read once; warning by default.
bool logWanted(nxs_log_level level) noexcept;

/// Writes one line if its level is wanted. backend is empty for the core's own.
void logLine(nxs_log_level level, std::string_view backend, std::string_view text) noexcept;

struct LogLine {
  nxs_log_level level;
  std::string backend;
  std::string text;
};

/// Defers the log lines of its thread until it is destroyed. For code that holds a lock, since the
/// user's function may take any lock, such as Python's.
class LogHold {
 public:
  LogHold() noexcept;
  ~LogHold();
  LogHold(const LogHold &) = delete;
  LogHold &operator=(const LogHold &) = delete;

  /// Returns the deferred lines of this thread, for another thread to write.
  static std::vector<LogLine> take();
};

}  // namespace nexus::core
