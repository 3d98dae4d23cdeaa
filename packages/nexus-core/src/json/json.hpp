// SPDX-License-Identifier: Apache-2.0
//
// JSON (RFC 8259) as an ordered tree: parsing, access, writing.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nexus::core::json {

struct Member;

/// A JSON value. Integers within 64 bits stay exact: int64_t, or uint64_t above its range. Objects
/// keep the order of their members.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;

  Value() noexcept;  // null
  Value(std::nullptr_t) noexcept;
  Value(bool value);
  Value(int64_t value);
  Value(uint64_t value);
  Value(double value);
  Value(std::string value);
  Value(std::string_view value);
  Value(const char *value);
  Value(Array value);
  Value(Object value);

  bool isNull() const { return std::holds_alternative<std::nullptr_t>(data_); }
  bool isBool() const { return std::holds_alternative<bool>(data_); }
  bool isInt() const { return std::holds_alternative<int64_t>(data_); }
  bool isUnsigned() const { return std::holds_alternative<uint64_t>(data_); }
  bool isDouble() const { return std::holds_alternative<double>(data_); }
  bool isString() const { return std::holds_alternative<std::string>(data_); }
  bool isArray() const { return std::holds_alternative<Array>(data_); }
  bool isObject() const { return std::holds_alternative<Object>(data_); }

  /// Return the value as that type, or NULL if it has another one.
  const bool *boolean() const { return std::get_if<bool>(&data_); }
  const int64_t *integer() const { return std::get_if<int64_t>(&data_); }
  const uint64_t *bigInteger() const { return std::get_if<uint64_t>(&data_); }
  const double *real() const { return std::get_if<double>(&data_); }
  const std::string *string() const { return std::get_if<std::string>(&data_); }
  const Array *array() const { return std::get_if<Array>(&data_); }
  const Object *object() const { return std::get_if<Object>(&data_); }
  Array *array() { return std::get_if<Array>(&data_); }
  Object *object() { return std::get_if<Object>(&data_); }

  /// Returns the member of that name, or NULL if there is none or this is not an object.
  const Value *find(std::string_view name) const;
  Value *find(std::string_view name);

  /// Returns the text of the member of that name, or NULL if there is none or it is not a string.
  const std::string *text(std::string_view name) const {
    const Value *member = find(name);
    return member == nullptr ? nullptr : member->string();
  }

  /// Sets or appends a member; a value that is not an object becomes one.
  void set(std::string_view name, Value value);

  /// Removes the member of that name, if there is one.
  void erase(std::string_view name);

  /// Returns "null", "true or false", "an integer", "a number", "a string", "a list" or "an
  /// object".
  const char *typeName() const;

  template <typename Visitor>
  decltype(auto) visit(Visitor &&visitor) const {
    return std::visit(std::forward<Visitor>(visitor), data_);
  }

 private:
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> data_;
};

struct Member {
  std::string name;
  Value value;
};

inline Value::Value() noexcept : data_(nullptr) {}
inline Value::Value(std::nullptr_t) noexcept : data_(nullptr) {}
inline Value::Value(bool value) : data_(value) {}
inline Value::Value(int64_t value) : data_(value) {}
inline Value::Value(double value) : data_(value) {}
inline Value::Value(std::string value) : data_(std::move(value)) {}
inline Value::Value(std::string_view value) : data_(std::string(value)) {}
inline Value::Value(const char *value) : data_(std::string(value)) {}
inline Value::Value(Array value) : data_(std::move(value)) {}
inline Value::Value(Object value) : data_(std::move(value)) {}

/// The position and reason of invalid JSON. what() is a sentence: "line 3, column 7: <reason>".
class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string &reason, uint64_t offset, uint64_t line, uint64_t column)
      : std::runtime_error("line " + std::to_string(line) + ", column " + std::to_string(column) +
                           ": " + reason),
        reason_(reason),
        offset_(offset),
        line_(line),
        column_(column) {}

  const std::string &reason() const noexcept { return reason_; }
  uint64_t offset() const noexcept { return offset_; }  // bytes from the start
  uint64_t line() const noexcept { return line_; }      // from 1
  uint64_t column() const noexcept { return column_; }  // in bytes, from 1

 private:
  std::string reason_;
  uint64_t offset_;
  uint64_t line_;
  uint64_t column_;
};

/// The deepest nesting of lists and objects.
inline constexpr uint32_t kMaxDepth = 128;

/// Parses the whole text. Throws ParseError: also for a name twice in one object,
/// ill-formed UTF-8, lone surrogates, integers beyond 64 bits, numbers too large for
/// a double, and more than kMaxDepth levels.
Value parse(std::string_view text);

/// Returns an error at the name of a member of the text's object, or at the text's value if it has
/// no such member. parse() must accept the text.
ParseError errorAtMember(std::string_view text, std::string_view member, const std::string &reason);

/// Writes value on one line, in a form that parse() reads back. Throws std::invalid_argument for a
/// number that is not finite, which JSON lacks.
std::string write(const Value &value);

}  // namespace nexus::core::json
