// SPDX-License-Identifier: Apache-2.0
// Makes UTF-8 and JSON (RFC 8259) of any texts, for properties that are objects or lists.
#ifndef NEXUS_PLUGIN_JSON_HPP_
#define NEXUS_PLUGIN_JSON_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/base/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace detail {

// The meaning of a UTF-8 character's first byte: the character's bytes (0: not a first byte), the
// first byte's bits of the code point, and the smallest code point of that length.
struct Utf8Form {
  std::size_t length;
  uint32_t first_bits;
  uint32_t least;
};

constexpr Utf8Form utf8_form(unsigned char first) noexcept {
  if (first < 0x80) return {1, first, 0};
  if (first >= 0xc2 && first < 0xe0) return {2, first & 0x1fU, 0x80};
  if (first >= 0xe0 && first < 0xf0) return {3, first & 0x0fU, 0x800};
  if (first >= 0xf0 && first < 0xf5) return {4, first & 0x07U, 0x10000};
  return {0, 0, 0};
}

// Returns the bytes of the character that text begins with; 0 if that is not valid UTF-8.
constexpr std::size_t utf8_length(std::string_view text) noexcept {
  const Utf8Form form = utf8_form(static_cast<unsigned char>(text[0]));
  if (form.length == 0 || form.length > text.size()) return 0;
  uint32_t code = form.first_bits;
  for (std::size_t i = 1; i < form.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) return 0;
    code = (code << 6) | (byte & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < form.least || code > 0x10ffff || surrogate ? 0 : form.length;
}

inline void append_json_character(std::string &out, char character) {
  constexpr const char *kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(character);
  if (character == '"' || character == '\\') {
    out += {'\\', character};
  } else if (byte < 0x20) {
    out += "\\u00";
    out += {kDigits[byte >> 4], kDigits[byte & 0xfU]};
  } else {
    out += character;
  }
}

}  // namespace detail

// Returns the text with U+FFFD in place of each byte that is not valid UTF-8.
inline std::string valid_utf8(std::string_view text) {
  constexpr const char *kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = detail::utf8_length(text);
    out += length == 0 ? std::string_view(kReplacement) : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

// Returns the text as a JSON string, with its quotes; invalid UTF-8 as in valid_utf8().
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char character : valid_utf8(text)) detail::append_json_character(out, character);
  return out + '"';
}

// Returns a list of values that are already JSON.
inline std::string json_array(const std::vector<std::string> &values) {
  return "[" + joined_by(",", values) + "]";
}

inline std::string json_list(const std::vector<std::string> &texts) {
  std::vector<std::string> values;
  for (const std::string &text : texts) values.push_back(json_string(text));
  return json_array(values);
}

inline std::string json_list(const std::vector<int64_t> &numbers) {
  std::vector<std::string> values;
  for (const int64_t number : numbers) values.push_back(std::to_string(number));
  return json_array(values);
}

// Writes an object. Leaves out a number that is 0 and an empty text, which are not known.
class JsonObject {
 public:
  JsonObject &add(std::string_view key, uint64_t number) {
    return number == 0 ? *this : add_json(key, std::to_string(number));
  }
  JsonObject &add(std::string_view key, const std::string &text) {
    return text.empty() ? *this : add_json(key, json_string(text));
  }
  // Adds a value that is already JSON.
  JsonObject &add_json(std::string_view key, std::string_view json) {
    text_ += join(text_.empty() ? "" : ",", json_string(key), ":", json);
    return *this;
  }
  std::string done() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_JSON_HPP_
