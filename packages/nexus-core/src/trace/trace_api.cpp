// SPDX-License-Identifier: Apache-2.0
#include <nexus/nexus_c.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "trace/session.hpp"

using namespace nexus::core;

int32_t nexus_trace_is_on(void) {
  return trace::session() != nullptr ? 1 : 0;
}

int64_t nexus_trace_time(void) {
  return trace::now();
}

nxs_status nexus_trace_range(nxs_string name, int64_t begin) {
  return guarded([&] {
    const std::string_view text = viewOf(name, "name");
    const int64_t end = trace::now();
    if (trace::Session *session = trace::session()) {
      session->addRange(text, {std::clamp<int64_t>(begin, 0, end), end});
    }
  });
}

nxs_status nexus_trace_mark(nxs_string name) {
  return guarded([&] {
    const std::string_view text = viewOf(name, "name");
    if (trace::Session *session = trace::session()) session->addMark(text);
  });
}
