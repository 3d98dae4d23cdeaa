// SPDX-License-Identifier: Apache-2.0
#include "base/log.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

struct Sink {
  nexus_log_fn function = nullptr;
  void *context = nullptr;
};

Sink receiver;  // under tableMutex

// The deferred lines of this thread, while it has a LogHold.
thread_local std::vector<LogLine> *held_lines = nullptr;
thread_local int holds = 0;

const char *levelName(nxs_log_level level) {
  switch (level) {
    case NXS_LogLevel_Debug:
      return "debug";
    case NXS_LogLevel_Info:
      return "info";
    case NXS_LogLevel_Warning:
      return "warning";
    default:
      return "error";
  }
}

void writeToStderr(nxs_log_level level, std::string_view backend, std::string_view text) {
  std::string line = "nexus";
  if (!backend.empty()) {
    line += '.';
    line += backend;
  }
  line += std::string(": ") + levelName(level) + ": ";
  line += text;
  line += '\n';
  // One write, so that lines of different threads do not mix.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void send(nxs_log_level level, std::string_view backend, std::string_view text) {
  Sink current;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    current = receiver;
  }
  if (current.function == nullptr) {
    writeToStderr(level, backend, text);
  } else {
    current.function(current.context, level, stringOf(backend), stringOf(text));
  }
}

nxs_log_level levelOfEnvironment() {
  const std::string value(environmentValue("NEXUS_LOG"));
  if (value.empty()) return NXS_LogLevel_Warning;
  for (nxs_log_level level = NXS_LogLevel_Debug; level <= NXS_LogLevel_Error; ++level) {
    if (value == levelName(level)) return level;
  }
  send(
      NXS_LogLevel_Warning, {},
      "NEXUS_LOG is '" + value +
          "', which is not a level; give debug, info, warning or error. It is treated as warning.");
  return NXS_LogLevel_Warning;
}

}  // namespace

bool logWanted(nxs_log_level level) noexcept {
  static const nxs_log_level lowest = levelOfEnvironment();
  return level >= lowest;
}

void logLine(nxs_log_level level, std::string_view backend, std::string_view text) noexcept {
  try {
    if (!logWanted(level)) return;
    if (holds == 0) {
      send(level, backend, text);
      return;
    }
    if (held_lines == nullptr) {
      held_lines = new std::vector<LogLine>;
    }
    held_lines->push_back({level, std::string(backend), std::string(text)});
  } catch (const std::exception &error) {
    // A lost log line must not fail the work that it reports.
    std::fprintf(stderr, "nexus: error: a log line was lost: %s\n", error.what());
  }
}

LogHold::LogHold() noexcept {
  ++holds;
}

LogHold::~LogHold() {
  if (--holds != 0 || held_lines == nullptr) return;
  const std::vector<LogLine> *lines = std::exchange(held_lines, nullptr);
  for (const LogLine &line : *lines) {
    logLine(line.level, line.backend, line.text);
  }
  delete lines;
}

std::vector<LogLine> LogHold::take() {
  return held_lines == nullptr ? std::vector<LogLine>() : std::exchange(*held_lines, {});
}

}  // namespace nexus::core

extern "C" void nexus_set_log(nexus_log_fn function, void *context) {
  using namespace nexus::core;
  const std::lock_guard<std::mutex> lock(tableMutex());
  receiver = {function, context};
}
