// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_BASE64_HPP_
#define NEXUS_SIMULATED_BASE64_HPP_

#include <cstdint>
#include <string>

namespace simulated_kernels {

inline constexpr char kBase64[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(const std::string &bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char each : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(each);
    for (count += 8; count >= 6; count -= 6) text += kBase64[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kBase64[bits << (6 - count) & 63];
  return text;
}

// Ends at the first character that is none.
inline std::string from_base64(const std::string &text) {
  const std::string digits = kBase64;
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char each : text) {
    const auto digit = digits.find(each);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_BASE64_HPP_
