// SPDX-License-Identifier: Apache-2.0
//
// Where in the user's program a call was made.
#pragma once

#include <cstdint>
#include <string>

namespace nexus::core::layers::validation {

/// A line of a file, as a language binding notes it with nexus_set_place; else, where the system
/// can tell, the first address on the stack that is not libnexus's. Copied freely.
struct Place {
  const char *file = nullptr;  // lives as long as the process
  int32_t line = 0;
  const void *address = nullptr;
};

/// This thread's, now. Looking through the stack takes some microseconds.
Place presentPlace() noexcept;

/// "train.py:12" or "./train(main+0x1f)"; empty where it is not known.
std::string placeText(const Place &place);

/// " (made at train.py:12)", or nothing.
std::string placeNote(const char *what, const Place &place);

}  // namespace nexus::core::layers::validation
