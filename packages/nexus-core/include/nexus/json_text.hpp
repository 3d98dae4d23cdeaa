// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_JSON_TEXT_HPP_
#define NEXUS_JSON_TEXT_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nexus::detail {

/// Reads JSON written by libnexus: well-formed, without blanks, and escaped only where necessary.
/// Skips values of another type than the one asked for.
class JsonText {
 public:
  explicit JsonText(std::string text) : text_(std::move(text)) {}

  /// Calls take(name) for each member of an object; take reads or skips the member's value.
  template <class Take>
  void readObject(Take take) {
    readItems('{', '}', [&] {
      const std::string name = readString();
      ++at_;  // the colon
      take(std::string_view(name));
    });
  }

  /// Calls take() for each entry of a list; take reads or skips it.
  template <class Take>
  void readList(Take take) {
    readItems('[', ']', take);
  }

  /// Returns an empty text if the value is not a string.
  std::string readString() {
    if (peek() != '"') {
      skip();
      return {};
    }
    std::string value;
    for (++at_; peek() != '"' && at_ < text_.size(); ++at_) {
      value += peek() == '\\' ? readEscape() : peek();
    }
    ++at_;
    return value;
  }

  /// Returns 0 if the value is not an integer from 0 on.
  std::uint64_t readNumber() {
    std::uint64_t value = 0;
    if (peek() < '0' || peek() > '9') {
      skip();
    }
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
    }
    return value;
  }

  void skip() {
    if (peek() == '{') {
      readObject([this](std::string_view) { skip(); });
    } else if (peek() == '[') {
      readList([this] { skip(); });
    } else if (peek() == '"') {
      readString();
    } else {
      at_ = text_.find_first_of(",]}", at_);
      at_ = at_ == std::string::npos ? text_.size() : at_;
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  template <class Take>
  void readItems(char open, char close, Take take) {
    if (peek() != open) {
      skip();
      return;
    }
    ++at_;
    while (peek() != close && at_ < text_.size()) {
      take();
      at_ += peek() == ',' ? 1 : 0;
    }
    ++at_;
  }

  // Called at the backslash; stops at the escape's last character. \u occurs for control characters
  // only.
  char readEscape() {
    static constexpr std::string_view letters = "bfnrt";
    static constexpr std::string_view meanings = "\b\f\n\r\t";
    ++at_;
    if (peek() == 'u') {
      const int code = std::stoi(text_.substr(at_ + 1, 4), nullptr, 16);
      at_ += 4;
      return static_cast<char>(code);
    }
    const std::size_t index = letters.find(peek());
    return index == std::string_view::npos ? peek() : meanings[index];
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace nexus::detail

#endif  // NEXUS_JSON_TEXT_HPP_
