// SPDX-License-Identifier: Apache-2.0
// The value of a property, and how it is written to the host's memory.
#ifndef NEXUS_PLUGIN_VALUE_HPP_
#define NEXUS_PLUGIN_VALUE_HPP_

#include <nexus-plugin/base/checks.hpp>

#include <array>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// A JSON text (RFC 8259), for properties that are objects or lists of objects.
struct Json {
  std::string text;
};

// The value of a property. An empty value means that the object does not have the property.
class Value {
 public:
  Value() = default;
  template <std::integral Number>
  Value(Number number) : held_(to_int(number)) {}
  Value(double number) : held_(number) {}
  Value(const char *text) : held_(std::string(text)) {}
  Value(std::string_view text) : held_(std::string(text)) {}
  Value(std::string text) : held_(std::move(text)) {}
  Value(std::vector<int64_t> numbers) : held_(std::move(numbers)) {}
  Value(const std::array<uint64_t, 3> &sizes)
      : Value(std::vector<int64_t>(sizes.begin(), sizes.end())) {}
  Value(std::vector<double> numbers) : held_(std::move(numbers)) {}
  Value(std::vector<std::string> texts) : held_(std::move(texts)) {}
  Value(Json json) : held_(std::move(json)) {}

  bool known() const noexcept { return held_.index() != 0; }

  // Writes type and size, and the bytes if they fit. If they don't, the host asks again with more
  // memory.
  void write(nxs_value &out) const;

 private:
  template <std::integral Number>
  static int64_t to_int(Number number) {
    if (!std::in_range<int64_t>(number)) {
      throw Error(NXS_InternalError, "the property value ", number, " does not fit 64 bits");
    }
    return static_cast<int64_t>(number);
  }

  std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>,
               std::vector<double>, std::vector<std::string>, Json>
      held_;
};

namespace detail {

inline void write_bytes(nxs_value &out, nxs_value_type type, const void *bytes, std::size_t size) {
  if (size != 0 && size <= out.capacity) {
    std::memcpy(check_pointer(out.data, "out_value->data"), bytes, size);
  }
  out.type = type;
  out.size = size;
}

// Writes a value in the layout that its nxs_value_type has.
struct ValueWriter {
  nxs_value &out;

  void operator()(std::monostate) const { write_bytes(out, NXS_ValueType_None, nullptr, 0); }
  void operator()(int64_t number) const {
    write_bytes(out, NXS_ValueType_Int, &number, sizeof(number));
  }
  void operator()(double number) const {
    write_bytes(out, NXS_ValueType_Flt, &number, sizeof(number));
  }
  void operator()(const std::string &text) const {
    write_bytes(out, NXS_ValueType_Str, text.data(), text.size());
  }
  void operator()(const std::vector<int64_t> &numbers) const {
    write_bytes(out, NXS_ValueType_IntVec, numbers.data(), numbers.size() * sizeof(int64_t));
  }
  void operator()(const std::vector<double> &numbers) const {
    write_bytes(out, NXS_ValueType_FltVec, numbers.data(), numbers.size() * sizeof(double));
  }
  void operator()(const std::vector<std::string> &texts) const {
    std::string bytes;
    for (const std::string &text : texts) bytes.append(text).push_back('\0');
    write_bytes(out, NXS_ValueType_StrVec, bytes.data(), bytes.size());
  }
  void operator()(const Json &json) const {
    write_bytes(out, NXS_ValueType_Json, json.text.data(), json.text.size());
  }
};

}  // namespace detail

inline void Value::write(nxs_value &out) const {
  std::visit(detail::ValueWriter{out}, held_);
}

// Returns a Value that is not known if the argument is 0 or empty.
inline Value known(uint64_t number) {
  return number == 0 ? Value() : Value(number);
}
inline Value known(std::string text) {
  return text.empty() ? Value() : Value(std::move(text));
}
inline Value known(std::vector<std::string> texts) {
  return texts.empty() ? Value() : Value(std::move(texts));
}
inline Value known(const std::array<uint64_t, 3> &sizes) {
  return sizes == std::array<uint64_t, 3>{} ? Value() : Value(sizes);
}
template <class T>
Value known(const std::optional<T> &value) {
  return value ? Value(*value) : Value();
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_VALUE_HPP_
