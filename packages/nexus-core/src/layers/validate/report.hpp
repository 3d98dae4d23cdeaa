// SPDX-License-Identifier: Apache-2.0
//
// Where the messages of the layer `validate` go: to the log, as those of `validate`, and to the
// end of the file that NEXUS_VALIDATE_FILE names; each once for one place. The summary and the
// leaks follow when the process ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "layers/validate/message.hpp"

namespace nexus::core::layers::validation {

/// One thing that is wrong.
struct Finding {
  Message message;
  nxs_status status;  // what a call returns that is not made because of it
  std::string text;   // a sentence without its full stop
};

/// Returns whether NEXUS_VALIDATE is `raise`: then a call with a finding fails.
bool raises() noexcept;

/// Tells of a finding and counts it; refused: the plug-in has refused the call, so the caller
/// knows, and only the level `info` is told. Returns the whole text. Hold no lock of the layer's.
std::string report(uint32_t tag, std::string_view function, const Finding &finding, bool refused);

/// Counts a call of a plug-in.
void countCall() noexcept;

/// From now on the process tells of leaks, and sums up, when it ends.
void reportAtEnd();

}  // namespace nexus::core::layers::validation
