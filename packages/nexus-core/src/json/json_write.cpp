// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "json/json.hpp"

namespace nexus::core::json {
namespace {

class Writer {
 public:
  explicit Writer(uint32_t indent) : indent_(indent) {}

  std::string take() { return std::move(text_); }

  void put(const Value &value, uint32_t depth) {
    value.visit([&](const auto &held) { putHeld(held, depth); });
  }

 private:
  void putHeld(std::nullptr_t, uint32_t) { text_ += "null"; }
  void putHeld(bool value, uint32_t) { text_ += value ? "true" : "false"; }
  void putHeld(int64_t value, uint32_t) { text_ += std::to_string(value); }
  void putHeld(uint64_t value, uint32_t) { text_ += std::to_string(value); }
  void putHeld(const std::string &value, uint32_t) { putString(value); }

  void putHeld(double value, uint32_t) {
    if (!std::isfinite(value)) {
      throw std::invalid_argument("JSON has no number that is not finite");
    }
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view shortest(digits.data(), static_cast<std::size_t>(end - digits.data()));
    text_ += shortest;
    if (shortest.find_first_of(".e") == std::string_view::npos) {
      text_ += ".0";  // so that it is read back as a double
    }
  }

  void putHeld(const Value::Array &items, uint32_t depth) {
    putItems('[', ']', items, depth, [&](const Value &item) { put(item, depth + 1); });
  }

  void putHeld(const Value::Object &members, uint32_t depth) {
    putItems('{', '}', members, depth, [&](const Member &member) {
      putString(member.name);
      text_ += indent_ == 0 ? ":" : ": ";
      put(member.value, depth + 1);
    });
  }

  template <typename Items, typename PutItem>
  void putItems(char open, char close, const Items &items, uint32_t depth, PutItem put_item) {
    text_ += open;
    bool first = true;
    for (const auto &item : items) {
      if (!first) {
        text_ += ',';
      }
      first = false;
      startLine(depth + 1);
      put_item(item);
    }
    if (!first) {
      startLine(depth);
    }
    text_ += close;
  }

  void startLine(uint32_t depth) {
    if (indent_ != 0) {
      text_ += '\n';
      text_.append(std::size_t{indent_} * depth, ' ');
    }
  }

  void putString(std::string_view value) {
    static constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
    static constexpr std::string_view kLetters = "\"\\bfnrt";
    static constexpr std::string_view kHex = "0123456789abcdef";
    text_ += '"';
    for (const char letter : value) {
      const auto byte = static_cast<unsigned char>(letter);
      if (const std::size_t index = kMeanings.find(letter); index != std::string_view::npos) {
        text_ += '\\';
        text_ += kLetters[index];
      } else if (byte < 0x20) {
        text_ += "\\u00";
        text_ += kHex[byte >> 4];
        text_ += kHex[byte & 0xF];
      } else {
        text_ += letter;
      }
    }
    text_ += '"';
  }

  std::string text_;
  uint32_t indent_;
};

}  // namespace

std::string write(const Value &value, uint32_t indent) {
  Writer writer(indent);
  writer.put(value, 0);
  return writer.take();
}

}  // namespace nexus::core::json
