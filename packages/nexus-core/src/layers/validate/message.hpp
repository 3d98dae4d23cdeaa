// SPDX-License-Identifier: Apache-2.0
//
// The messages of the layer `validate` by name.
#pragma once

#include <nexus-api/nxs.h>

#include <string>
#include <string_view>

namespace nexus::core::layers::validation {

enum class Message : int {
#define NXV_MESSAGE(name, number, slug, level, meaning, remedy) name = number,
#include "layers/validate/messages.def"
};

struct MessageInfo {
  std::string_view slug;
  nxs_log_level level;
  std::string_view remedy;
};

inline MessageInfo infoOf(Message message) noexcept {
  switch (message) {
#define NXV_MESSAGE(name, number, slug, level, meaning, remedy) \
  case Message::name:                                           \
    return {slug, NXS_LogLevel_##level, remedy};
#include "layers/validate/messages.def"
  }
  return {};
}

/// "NXV-0107-range".
inline std::string idOf(Message message) {
  std::string number = std::to_string(static_cast<int>(message));
  number.insert(0, 4 - number.size(), '0');
  return "NXV-" + number + "-" + std::string(infoOf(message).slug);
}

/// Returns whether the message is about the plug-in, not about who calls it.
inline bool isAboutPlugin(Message message) noexcept {
  return static_cast<int>(message) / 100 == 4;
}

}  // namespace nexus::core::layers::validation
