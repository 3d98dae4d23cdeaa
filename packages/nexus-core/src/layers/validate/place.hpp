// SPDX-License-Identifier: Apache-2.0
//
// The place in the user's program where a call was made.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core::layers::validation {

/// A line of a file, which a language binding set with nexus_set_place. Otherwise, if the system
/// has backtraces, the first address on the stack outside libnexus.
struct Place {
  const char *file = nullptr;  // lives as long as the process
  int32_t line = 0;
  const void *address = nullptr;
};

/// Returns the present place of this thread. Walking the stack takes some microseconds.
Place presentPlace() noexcept;

/// Returns "train.py:12" or "./train(main+0x1f)"; empty if the place is not known.
std::string placeText(const Place &place);

/// Returns " (made at train.py:12)" if what is "made at"; empty if the place is not known.
std::string placeNote(const char *what, const Place &place);

}  // namespace nexus::core::layers::validation
