// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <utility>

namespace nexus::core {
namespace {

// The length of the UTF-8 sequence that begins with a byte, and the smallest code point that may
// have that length. Length 0: no sequence begins with the byte.
struct Lead {
  uint32_t length;
  uint32_t bits;
  uint32_t smallest;
};

Lead leadOf(unsigned char first) {
  if (first < 0x80) return {1, first, 0};
  if ((first & 0xE0) == 0xC0) return {2, first & 0x1FU, 0x80};
  if ((first & 0xF0) == 0xE0) return {3, first & 0x0FU, 0x800};
  if ((first & 0xF8) == 0xF0) return {4, first & 0x07U, 0x10000};
  return {0, 0, 0};
}

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Returns the edit distance (Levenshtein), ignoring case.
uint64_t distance(std::string_view left, std::string_view right) {
  std::vector<uint64_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), uint64_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    uint64_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const uint64_t changed = diagonal + (lower(left[i]) == lower(right[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::size_t utf8Prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const Lead lead = leadOf(static_cast<unsigned char>(text[at]));
    if (lead.length == 0 || text.size() - at < lead.length) {
      return at;
    }
    uint32_t code = lead.bits;
    for (uint32_t i = 1; i < lead.length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if ((next & 0xC0) != 0x80) {
        return at;
      }
      code = (code << 6) | (next & 0x3FU);
    }
    if (code < lead.smallest || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      return at;
    }
    at += lead.length;
  }
  return at;
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
  if (words.empty()) {
    return std::string(empty_text);
  }
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
    const uint64_t away = distance(name, candidate);
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
  std::string good;
  while (true) {
    const std::size_t end = utf8Prefix(text);
    good += text.substr(0, end);
    if (end == text.size()) {
      return good;
    }
    good += "\xef\xbf\xbd";
    text.remove_prefix(end + 1);
  }
}

}  // namespace nexus::core
