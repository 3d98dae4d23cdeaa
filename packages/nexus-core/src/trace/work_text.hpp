// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of work in a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_text.hpp"

namespace nexus::core::trace {

/// The description of one submission. Runs of a schedule share one.
struct WorkText {
  std::string name;           // such as the kernel's
  std::string_view category;  // "kernel", "copy", "fill", "schedule", "wait", "mark"
  uint64_t copied = 0;        // bytes
  Details details;
  bool takes_time = true;  // false: a signal or a callback, shown at the time when it happened
};
using WorkTextPtr = std::shared_ptr<const WorkText>;

struct CommandText {
  std::string name;           // the kernel's, or "copy", "fill", "schedule"
  std::string_view category;  // as in WorkText
  std::string size;           // "grid 1024, groups of 64", or "4096 bytes"
  uint64_t copied = 0;        // bytes
};

/// Describes a run of these commands, in order. schedule: its id as in the layer `calls`.
WorkTextPtr runText(const std::string &schedule, const std::vector<const CommandText *> &commands);

/// Describes a copy, fill or mapping.
WorkTextPtr transferText(std::string_view name, std::string_view category, uint64_t bytes);

/// Describes a signal, a wait or a callback.
WorkTextPtr orderText(std::string_view name, std::string_view category, std::string_view event);

/// "1024 x 2".
std::string lengthsText(const uint64_t (&lengths)[3]);

}  // namespace nexus::core::trace
