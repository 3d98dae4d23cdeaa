// SPDX-License-Identifier: Apache-2.0
//
// The messages of the layer `validate`. They go to the log, as the logger `validate`, and to the
// file NEXUS_VALIDATE_FILE, each once per place. The leaks and a summary follow when the process
// ends.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace nexus::core::layers::validation {

enum class Message : int {
#define NXV_MESSAGE(name, number, slug, level, remedy) name = number,
#include "layers/validate/messages.def"
};

/// Returns whether the message is about the plug-in instead of its caller.
inline bool isAboutPlugin(Message message) noexcept {
  return static_cast<int>(message) / 100 == 4;
}

nxs_log_level levelOf(Message message) noexcept;

struct Finding {
  Message message;
  nxs_status status;  // what the call returns if it is not made because of this
  std::string text;   // a sentence without its full stop
};

/// Returns whether NEXUS_VALIDATE is `raise`: a call with a finding then fails.
bool raises() noexcept;

/// Reports and counts a finding, and returns the whole text. refused: the plug-in refused the call,
/// so the caller knows of the mistake and the message is of the level `info`. Call it without
/// holding a lock of the layer.
std::string report(uint32_t tag, std::string_view function, const Finding &finding, bool refused);

/// Counts a call of a plug-in.
void countCall() noexcept;

/// From now on, reports leaks and a summary when the process ends.
void reportAtEnd();

}  // namespace nexus::core::layers::validation
