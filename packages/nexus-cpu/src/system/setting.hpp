// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_SETTING_HPP_
#define NEXUS_CPU_SETTING_HPP_

#include <charconv>
#include <cstdint>
#include <nexus-plugin/base/host.hpp>
#include <optional>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Returns the setting cpu.<key>, a number from least to most, if it is set. Another value is logged
// and ignored; wanted says in the message what would be valid.
inline std::optional<uint64_t> number_setting(const char *key, uint64_t least, uint64_t most,
                                              const char *wanted) {
  const std::string_view text = nexus_plugin::get_config(key);
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && least <= value && value <= most) return value;
  nexus_plugin::log(NXS_LogLevel_Warning, "the setting cpu.", key, " is '", text,
                    "', which is not ", wanted, "; it is ignored");
  return std::nullopt;
}

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SETTING_HPP_
