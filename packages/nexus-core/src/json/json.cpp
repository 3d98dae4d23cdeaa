// SPDX-License-Identifier: Apache-2.0
#include "json/json.hpp"

#include <locale.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <unordered_set>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "base/text.hpp"

namespace nexus::core::json {

Value::Value(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    data_ = static_cast<int64_t>(value);  // one form for each number
  } else {
    data_ = value;
  }
}

const Value *Value::find(std::string_view name) const {
  const Object *members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const Member &member) { return member.name == name; });
  return found == members->end() ? nullptr : &found->value;
}

Value *Value::find(std::string_view name) {
  return const_cast<Value *>(static_cast<const Value *>(this)->find(name));
}

void Value::set(std::string_view name, Value value) {
  if (Value *present = find(name); present != nullptr) {
    *present = std::move(value);
    return;
  }
  if (!isObject()) {
    data_ = Object{};
  }
  object()->push_back({std::string(name), std::move(value)});
}

void Value::erase(std::string_view name) {
  if (Object *members = object()) {
    std::erase_if(*members, [&](const Member &member) { return member.name == name; });
  }
}

const char *Value::typeName() const {
  static constexpr const char *kNames[] = {"null",     "true or false", "an integer", "an integer",
                                           "a number", "a string",      "a list",     "an object"};
  return kNames[data_.index()];
}

namespace {

class Writer {
 public:
  std::string take() { return std::move(text_); }

  void put(const Value &value) {
    value.visit([&](const auto &held) { putHeld(held); });
  }

 private:
  void putHeld(std::nullptr_t) { text_ += "null"; }
  void putHeld(bool value) { text_ += value ? "true" : "false"; }
  void putHeld(int64_t value) { text_ += std::to_string(value); }
  void putHeld(uint64_t value) { text_ += std::to_string(value); }
  void putHeld(const std::string &value) { putString(value); }

  void putHeld(double value) {
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

  void putHeld(const Value::Array &items) {
    putItems('[', ']', items, [&](const Value &item) { put(item); });
  }

  void putHeld(const Value::Object &members) {
    putItems('{', '}', members, [&](const Member &member) {
      putString(member.name);
      text_ += ':';
      put(member.value);
    });
  }

  template <typename Items, typename PutItem>
  void putItems(char open, char close, const Items &items, PutItem put_item) {
    text_ += open;
    for (const auto &item : items) {
      if (&item != &items.front()) text_ += ',';
      put_item(item);
    }
    text_ += close;
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
};

}  // namespace

std::string write(const Value &value) {
  Writer writer;
  writer.put(value);
  return writer.take();
}

namespace {

// Returns the double nearest to a JSON number. Not std::strtod, which uses the decimal separator of
// the program's locale.
double nearestDouble(const std::string &text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
  return strtod_l(text.c_str(), nullptr, plain);
}

bool isDigit(char letter) {
  return letter >= '0' && letter <= '9';
}

void appendUtf8(std::string &text, uint32_t code) {
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// Reads one text from start to end; at_ is the next byte to read.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value parseText() {
    if (const std::size_t end = utf8Prefix(text_); end != text_.size()) {
      failAt(end, "this is not UTF-8; save the text as UTF-8");
    }
    skipBlanks();
    Value value = parseValue(0);
    skipBlanks();
    if (!atEnd()) {
      fail("unexpected text after the value");
    }
    return value;
  }

  ParseError errorAtMember(std::string_view member, const std::string &why) {
    skipBlanks();
    const std::size_t value_begin = at_;
    bool more = take('{');
    while (more) {
      skipBlanks();
      const std::size_t name_begin = at_;
      if (peek() != '"') {
        break;  // the object is empty
      }
      if (parseString() == member) return errorAt(name_begin, why);
      skipBlanks();
      take(':');
      skipBlanks();
      parseValue(1);
      skipBlanks();
      more = take(',');
    }
    return errorAt(value_begin, why);
  }

 private:
  bool atEnd() const { return at_ == text_.size(); }
  char peek() const { return atEnd() ? '\0' : text_[at_]; }

  [[noreturn]] void fail(const std::string &why) const { failAt(at_, why); }

  [[noreturn]] void failAt(std::size_t offset, const std::string &why) const {
    throw errorAt(offset, why);
  }

  ParseError errorAt(std::size_t offset, const std::string &why) const {
    uint64_t line = 1;
    std::size_t line_begin = 0;
    for (std::size_t i = 0; i < offset; ++i) {
      if (text_[i] == '\n') {
        ++line;
        line_begin = i + 1;
      }
    }
    return ParseError(why, offset, line, offset - line_begin + 1);
  }

  void skipBlanks() {
    while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
      ++at_;
    }
  }

  bool take(char letter) {
    if (peek() != letter || atEnd()) return false;
    ++at_;
    return true;
  }

  void takeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      fail("expected " + std::string(word));
    }
    at_ += word.size();
  }

  Value parseValue(uint32_t depth) {
    if (atEnd()) {
      fail("the text ends where a value is expected");
    }
    switch (peek()) {
      case '{':
        return parseObject(depth + 1);
      case '[':
        return parseArray(depth + 1);
      case '"':
        return Value(parseString());
      case 't':
        takeWord("true");
        return Value(true);
      case 'f':
        takeWord("false");
        return Value(false);
      case 'n':
        takeWord("null");
        return Value();
      default:
        return parseNumber();
    }
  }

  void enter(uint32_t depth) {
    if (depth > kMaxDepth) {
      fail(join("lists and objects are nested more than ", kMaxDepth, " deep"));
    }
    ++at_;
    skipBlanks();
  }

  // Reads items with commas in between, up to the letter close. where: "a list".
  template <typename ParseItem>
  void parseItems(uint32_t depth, char close, const char *where, ParseItem parse_item) {
    enter(depth);
    bool more = !take(close);
    while (more) {
      parse_item();
      skipBlanks();
      more = !take(close);
      if (more && !take(',')) fail(std::string("expected ',' or '") + close + "' in " + where);
      skipBlanks();
    }
  }

  Value parseArray(uint32_t depth) {
    Value::Array items;
    parseItems(depth, ']', "a list", [&] { items.push_back(parseValue(depth)); });
    return Value(std::move(items));
  }

  // Returns whether an object has no member of that name yet. Fills names once there are many
  // members; for few, comparing each is faster.
  static bool isNew(const std::string &name, const Value::Object &members,
                    std::unordered_set<std::string> &names) {
    constexpr std::size_t kFew = 16;
    if (members.size() < kFew) {
      return std::none_of(members.begin(), members.end(),
                          [&](const Member &member) { return member.name == name; });
    }
    if (names.empty()) {
      for (const Member &member : members) names.insert(member.name);
    }
    return names.insert(name).second;
  }

  Value parseObject(uint32_t depth) {
    Value::Object members;
    std::unordered_set<std::string> names;
    parseItems(depth, '}', "an object", [&] {
      const std::size_t name_begin = at_;
      if (peek() != '"') {
        fail("expected a name in quotes");
      }
      std::string name = parseString();
      if (!isNew(name, members, names)) {
        failAt(name_begin, "the name " + write(Value(name)) + " appears twice");
      }
      skipBlanks();
      if (!take(':')) {
        fail("expected ':' after a name");
      }
      skipBlanks();
      members.push_back({std::move(name), parseValue(depth)});
    });
    return Value(std::move(members));
  }

  std::string parseString() {
    const std::size_t begin = at_++;
    std::string value;
    for (;;) {
      if (atEnd()) {
        failAt(begin, "this string is not terminated");
      }
      const char letter = text_[at_];
      if (letter == '"') {
        ++at_;
        return value;
      }
      if (static_cast<unsigned char>(letter) < 0x20) {
        fail("a control character must be written \\uXXXX within a string");
      }
      if (letter == '\\') {
        parseEscape(value);
      } else {
        value.push_back(letter);
        ++at_;
      }
    }
  }

  void parseEscape(std::string &value) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    if (take('u')) {
      appendUtf8(value, parseCodePoint(begin));
      return;
    }
    const std::size_t index = atEnd() ? std::string_view::npos : kLetters.find(peek());
    if (index == std::string_view::npos) {
      failAt(begin, "this escape is not one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    }
    value.push_back(kMeanings[index]);
    ++at_;
  }

  // Reads one code point after \u, from two escapes if it is a surrogate pair.
  uint32_t parseCodePoint(std::size_t begin) {
    const uint32_t first = parseHex(begin);
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const uint32_t second = parseHex(begin);
      if (second >= 0xDC00 && second <= 0xDFFF) {
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
      }
    }
    failAt(begin, "this escape is one half of a surrogate pair");
  }

  uint32_t parseHex(std::size_t begin) {
    const std::string_view digits = text_.substr(at_, 4);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4) {
      failAt(begin, "\\u needs four hexadecimal digits");
    }
    at_ += 4;
    return code;
  }

  void takeDigits(const char *where) {
    if (!isDigit(peek())) {
      fail(std::string("expected a digit ") + where);
    }
    while (isDigit(peek())) {
      ++at_;
    }
  }

  Value parseNumber() {
    const std::size_t begin = at_;
    const bool negative = take('-');
    if (!negative && !isDigit(peek())) {
      fail("expected an object, a list, a string, a number, true, false or null");
    }
    if (take('0')) {
      if (isDigit(peek())) {
        failAt(begin, "a number can't begin with zeros");
      }
    } else {
      takeDigits("after '-'");
    }
    bool whole = true;
    if (take('.')) {
      whole = false;
      takeDigits("after the point");
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) {
        take('-');
      }
      takeDigits("in the exponent");
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    return whole ? integerOf(digits, negative, begin) : realOf(digits, begin);
  }

  Value integerOf(std::string_view digits, bool negative, std::size_t begin) const {
    const char *end = digits.data() + digits.size();
    if (int64_t value = 0; std::from_chars(digits.data(), end, value).ec == std::errc()) {
      return Value(value);
    }
    if (uint64_t value = 0;
        !negative && std::from_chars(digits.data(), end, value).ec == std::errc()) {
      return Value(value);
    }
    failAt(begin, join("the integer ", digits,
                       " has more than 64 bits; write it with a point or as a string"));
  }

  Value realOf(std::string_view digits, std::size_t begin) const {
    const double value = nearestDouble(std::string(digits));
    if (!std::isfinite(value)) {
      failAt(begin, join("the number ", digits, " is too large"));
    }
    return Value(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Value parse(std::string_view text) {
  return Parser(text).parseText();
}

ParseError errorAtMember(std::string_view text, std::string_view member,
                         const std::string &reason) {
  return Parser(text).errorAtMember(member, reason);
}

}  // namespace nexus::core::json
