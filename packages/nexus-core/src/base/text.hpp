// SPDX-License-Identifier: Apache-2.0
//
// Strings at the C border: views of nxs_string, and the other way.
#pragma once

#include <nexus-api/nxs.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// How many bytes of text, from its start, are well-formed UTF-8 (RFC 3629: no
/// surrogates, no overlong forms); all of them where the text is.
std::size_t utf8Prefix(std::string_view text) noexcept;

inline bool isUtf8(std::string_view text) noexcept {
  return utf8Prefix(text) == text.size();
}
/// The text with U+FFFD in place of each byte that is not UTF-8, for what people read.
std::string asUtf8(std::string_view text);

/// text for the other side; valid as long as text's memory is.
inline nxs_string stringOf(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// The words between separators, without surrounding blanks; empty words are left out.
std::vector<std::string> splitWords(std::string_view text, char separator);

/// "a", "a and b", "a, b and c"; empty_text where there are none.
std::string listWords(const std::vector<std::string> &words, std::string_view empty_text);

/// text with a full stop, where it ends without one.
std::string sentence(std::string_view text);

/// Up to three of candidates that are spelled like name, the nearest first.
std::vector<std::string> nearNames(std::string_view name,
                                   const std::vector<std::string> &candidates);

}  // namespace nexus::core
