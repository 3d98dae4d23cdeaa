// SPDX-License-Identifier: Apache-2.0
// Sentences for errors and log lines, put together from their parts.
#ifndef NEXUS_PLUGIN_TEXT_HPP_
#define NEXUS_PLUGIN_TEXT_HPP_

#include <nexus-api/nxs.h>

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace nexus_plugin NXS_HIDDEN {

inline std::string_view view(nxs_string text) {
  return text.size == 0 ? std::string_view()
                        : std::string_view(text.data, static_cast<std::size_t>(text.size));
}

// Valid as long as the text that it looks at.
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

// A zero byte, which a name from outside may hold, would be read as the sentence's end.
inline const std::string &showing_zeros(std::string &text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\0') text.replace(at, 1, "\\0");
  }
  return text;
}

}  // namespace detail

// join("size is ", 3, ", the limit is ", 2): texts as they are, numbers in decimal.
template <class... Parts>
std::string join(const Parts &...parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_TEXT_HPP_
