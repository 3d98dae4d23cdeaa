// SPDX-License-Identifier: Apache-2.0
// Texts: makes sentences for errors and lines for logs.
#ifndef NEXUS_PLUGIN_TEXT_HPP_
#define NEXUS_PLUGIN_TEXT_HPP_

#include <nexus-api/nxs.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

inline std::string_view view(nxs_string text) {
  return text.size == 0 ? std::string_view()
                        : std::string_view(text.data, static_cast<std::size_t>(text.size));
}

// Returns a string with the same bytes, valid as long as text.
inline nxs_string as_nxs(std::string_view text) {
  return nxs_string{text.data(), text.size()};
}

namespace detail {

inline void append(std::string &out, std::string_view part) {
  out.append(part);
}
inline void append(std::string &out, nxs_string part) {
  out.append(view(part));
}

template <std::integral Number>
void append(std::string &out, Number part) {
  out.append(std::to_string(part));
}

inline void append(std::string &out, double part) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%g", part);
  out.append(digits);
}

// Writes zero bytes, which foreign names may contain, as \0. Else the text would end there.
inline const std::string &showing_zeros(std::string &text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\0') text.replace(at, 1, "\\0");
  }
  return text;
}

}  // namespace detail

// Joins texts and decimal numbers: join("size is ", 3, ", the limit is ", 2).
template <class... Parts>
std::string join(const Parts &...parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

// Returns a count with its noun: "1 argument", "2 arguments". The noun's plural ends in s.
inline std::string counted(uint64_t count, std::string_view noun) {
  return join(count, " ", noun, count == 1 ? "" : "s");
}

// Returns two hexadecimal digits for each byte, as in "0b1f".
inline std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text;
}

// Returns a checksum (FNV-1a) that differs if a byte differs. It does not protect from deliberate
// changes.
inline uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325U;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return sum;
}

// Returns the parts of a list between separators, without empty ones unless keep_empty.
inline std::vector<std::string> split(std::string_view list, char separator,
                                      bool keep_empty = false) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end != 0 || keep_empty) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

// Returns the texts one after the other with a separator between them.
inline std::string joined_by(std::string_view separator, const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts) {
    if (&text != &texts.front()) all.append(separator);
    all.append(text);
  }
  return all;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_TEXT_HPP_
