// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_HEX_HPP_
#define NEXUS_SIMULATED_HEX_HPP_

#include <string>

namespace simulated_kernels {

inline constexpr char kHexDigits[] = "0123456789abcdef";

inline std::string to_hex(const std::string &bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kHexDigits[byte / 16], kHexDigits[byte % 16]};
  }
  return text;
}

// Ends at the first character that is none.
inline std::string from_hex(const std::string &text) {
  const std::string digits = kHexDigits;
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const size_t high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == std::string::npos || low == std::string::npos) break;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_HEX_HPP_
