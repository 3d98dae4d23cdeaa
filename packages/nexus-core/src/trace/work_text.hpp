// SPDX-License-Identifier: Apache-2.0
//
// What work is called in a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_text.hpp"

namespace nexus::core::trace {

/// One submission, in words. Several runs of a schedule share one.
struct WorkText {
  std::string name;           // such as that of its kernel
  std::string_view category;  // "kernel", "copy", "fill", "schedule", "wait", "mark"
  uint64_t copied = 0;        // bytes
  Details details;
  bool takes_time = true;  // false: a signal or a callback, which is shown where it happened
};
using WorkTextPtr = std::shared_ptr<const WorkText>;

/// A command of a schedule.
struct CommandText {
  std::string name;           // of its kernel, or "copy", "fill", "schedule"
  std::string_view category;  // as in WorkText
  std::string size;           // "grid 1024, groups of 64", or "4096 bytes"
  uint64_t copied = 0;        // bytes
};

/// A run of these commands, in their order. schedule: as `calls` shows it.
WorkTextPtr runText(const std::string &schedule, const std::vector<const CommandText *> &commands);

/// A copy, fill or mapping of so many bytes.
WorkTextPtr transferText(std::string_view name, std::string_view category, uint64_t bytes);

/// What is no work of its own: a signal, a wait, a callback.
WorkTextPtr orderText(std::string_view name, std::string_view category, std::string_view event);

/// "1024 x 2".
std::string lengthsText(const uint64_t (&lengths)[3]);

}  // namespace nexus::core::trace
