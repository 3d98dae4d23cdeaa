// SPDX-License-Identifier: Apache-2.0
//
// Text: conversion from and to nxs_string, UTF-8, and lists in words.
#pragma once

#include <nexus-api/nxs.h>
#include <nexus-plugin/base/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

using nexus_plugin::counted;
using nexus_plugin::join;

/// Returns how many bytes of text, from its start, are well-formed UTF-8 (RFC 3629: no surrogates,
/// no overlong forms).
std::size_t utf8Prefix(std::string_view text) noexcept;

inline bool isUtf8(std::string_view text) noexcept {
  return utf8Prefix(text) == text.size();
}
/// Returns the text with U+FFFD in place of each byte that is not UTF-8, for people to read.
std::string asUtf8(std::string_view text);

/// Returns text as a C-API string; valid as long as text's memory is.
inline nxs_string stringOf(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Returns the value of an environment variable; empty if it is not set.
std::string_view environmentValue(const char *name) noexcept;

/// Returns the decimal number that is the whole text; nothing for other texts, or beyond 64 bits.
std::optional<uint64_t> wholeNumber(std::string_view text) noexcept;

/// Returns text with lower-case letters, of ASCII's only.
std::string lowered(std::string_view text);

/// Returns the words between separators, without surrounding blanks and without empty words.
std::vector<std::string> splitWords(std::string_view text, char separator);

/// Returns "a", "a and b", "a, b and c"; empty_text for no words.
std::string listWords(const std::vector<std::string> &words, std::string_view empty_text);

/// Returns whether a list has an item.
template <typename List, typename Item>
bool contains(const List &list, const Item &item) {
  return std::find(std::begin(list), std::end(list), item) != std::end(list);
}

/// Returns text with a full stop at its end.
std::string sentence(std::string_view text);

/// Returns up to three candidates that are spelled like name, the nearest first.
std::vector<std::string> nearNames(std::string_view name,
                                   const std::vector<std::string> &candidates);

}  // namespace nexus::core
