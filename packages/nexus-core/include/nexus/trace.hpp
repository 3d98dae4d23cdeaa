// SPDX-License-Identifier: Apache-2.0
//
// A program's own ranges and marks in a trace (NEXUS_LAYERS=trace).
#pragma once

#include <nexus/nexus_c.h>
#include <nexus/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nexus {

/// Shows the time from its construction to its destruction on this thread as a named range:
///
///     const nexus::TraceRange range("load the images");
///
/// Costs a function call if the process is not traced.
class TraceRange {
 public:
  explicit TraceRange(std::string_view name)
      : begin_(nexus_trace_is_on() != 0 ? nexus_trace_time() : -1) {
    if (begin_ >= 0) name_ = name;
  }
  ~TraceRange() {
    if (begin_ >= 0) nexus_trace_range({name_.data(), name_.size()}, begin_);
  }
  TraceRange(const TraceRange &) = delete;
  TraceRange &operator=(const TraceRange &) = delete;

 private:
  std::string name_;
  std::int64_t begin_;
};

/// Marks a moment of this thread.
inline void traceMark(std::string_view name) {
  detail::check(nexus_trace_mark({name.data(), name.size()}));
}

}  // namespace nexus
