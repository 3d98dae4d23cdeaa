// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/near_names.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace nexus::core {

std::string_view environmentValue(const char *name) noexcept {
  const char *value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<uint64_t> wholeNumber(std::string_view text) noexcept {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

std::size_t utf8Prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = nexus_plugin::detail::utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char &letter : low) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return low;
}

std::vector<std::string> splitWords(std::string_view text, char separator) {
  const auto blank = [](char letter) { return letter == ' ' || letter == '\t'; };
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    while (!word.empty() && blank(word.front())) word.remove_prefix(1);
    while (!word.empty() && blank(word.back())) word.remove_suffix(1);
    if (!word.empty()) {
      words.emplace_back(word);
    }
    begin = end + 1;
  }
  return words;
}

std::string listWords(const std::vector<std::string> &words, std::string_view empty_text) {
  if (words.empty()) return std::string(empty_text);
  std::string list = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    list += i + 1 == words.size() ? " and " : ", ";
    list += words[i];
  }
  return list;
}

std::string sentence(std::string_view text) {
  std::string whole(text);
  if (!whole.empty() && std::string_view(".!?").find(whole.back()) == std::string_view::npos) {
    whole += '.';
  }
  return whole;
}

std::vector<std::string> nearNames(std::string_view name,
                                   const std::vector<std::string> &candidates) {
  const uint64_t farthest = std::max<uint64_t>(1, name.size() / 3);
  std::vector<std::pair<uint64_t, std::string>> near;
  for (const std::string &candidate : candidates) {
    const uint64_t away = nexus_plugin::detail::edit_distance(lowered(name), lowered(candidate));
    if (away <= farthest) {
      near.emplace_back(away, candidate);
    }
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto &left, const auto &right) { return left.first < right.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) {
    names.push_back(near[i].second);
  }
  return names;
}

std::string asUtf8(std::string_view text) {
  return nexus_plugin::valid_utf8(text);
}

}  // namespace nexus::core
