// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include <cstddef>
#include <cstdint>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// What a character of so many bytes has in its first one, and the least that it may mean.
struct Utf8Form {
  std::size_t length;
  uint32_t first_bits;
  uint32_t least;
};

Utf8Form utf8_form(unsigned char first) {
  if (first < 0x80) return {1, first, 0};
  if (first >= 0xc2 && first < 0xe0) return {2, first & 0x1fU, 0x80};
  if (first >= 0xe0 && first < 0xf0) return {3, first & 0x0fU, 0x800};
  if (first >= 0xf0 && first < 0xf5) return {4, first & 0x07U, 0x10000};
  return {0, 0, 0};
}

// Bytes of the character that text begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text) {
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

void append_json_character(std::string &out, char character) {
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

}  // namespace

std::string valid_utf8(std::string_view text) {
  constexpr const char *kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string_view(kReplacement) : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char character : valid_utf8(text)) append_json_character(out, character);
  return out + '"';
}

std::string json_list(const std::vector<std::string> &texts) {
  std::string out = "[";
  for (const std::string &text : texts) {
    if (out.size() > 1) out += ',';
    out += json_string(text);
  }
  return out + ']';
}

}  // namespace nexus_cpu
