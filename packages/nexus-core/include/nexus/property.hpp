// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PROPERTY_HPP_
#define NEXUS_PROPERTY_HPP_

#include <nexus/error.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nexus {

/// One step of the path of a property: a name ("Vendor") or a number. In an object a number is an
/// NP_ key, in an array an index. A name is borrowed: it must stay valid until the call that takes
/// the key returns.
class Key {
 public:
  Key(const char *name) noexcept
      : Key(std::string_view(name)) {}  // NOLINT(google-explicit-constructor)
  Key(const std::string &name) noexcept : Key(std::string_view(name)) {}  // NOLINT
  Key(std::string_view name) noexcept                                     // NOLINT
      : key_{{name.data() == nullptr ? "" : name.data(), name.size()}, 0} {}
  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  Key(Number number) noexcept : key_{{nullptr, 0}, static_cast<std::int64_t>(number)} {}  // NOLINT

  const nexus_key &raw() const noexcept { return key_; }

 private:
  nexus_key key_;
};

namespace detail {

inline std::vector<nexus_key> rawKeys(const std::vector<Key> &path) {
  std::vector<nexus_key> raw;
  raw.reserve(path.size());
  for (const Key &key : path) {
    raw.push_back(key.raw());
  }
  return raw;
}

/// The bytes of a property, read again if they don't fit in the memory of the first attempt.
class PropertyBytes {
 public:
  /// read fills an nxs_value and returns a status.
  template <class Read>
  explicit PropertyBytes(Read read) {
    value_.struct_size = sizeof(value_);
    value_.data = small_;
    value_.capacity = sizeof(small_);
    check(read(&value_));
    while (value_.size > value_.capacity) {  // repeated if the value grew meanwhile
      large_.resize(static_cast<std::size_t>((value_.size + 7) / 8));
      value_.data = large_.data();
      value_.capacity = large_.size() * 8;
      check(read(&value_));
    }
  }
  PropertyBytes(const PropertyBytes &) = delete;
  PropertyBytes &operator=(const PropertyBytes &) = delete;

  nxs_value_type type() const noexcept { return value_.type; }

  std::string text() const {
    return std::string(static_cast<const char *>(value_.data),
                       static_cast<std::size_t>(value_.size));
  }

  template <class Number>
  Number number() const noexcept {
    Number number{};
    std::memcpy(&number, value_.data, sizeof(number));
    return number;
  }

  template <class Number>
  std::vector<Number> numbers() const {
    std::vector<Number> numbers(static_cast<std::size_t>(value_.size) / sizeof(Number));
    if (!numbers.empty()) {
      std::memcpy(numbers.data(), value_.data, numbers.size() * sizeof(Number));
    }
    return numbers;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    const char *at = static_cast<const char *>(value_.data);
    const char *const end = at + value_.size;
    while (at < end) {
      const auto *zero =
          static_cast<const char *>(std::memchr(at, 0, static_cast<std::size_t>(end - at)));
      const char *const stop = zero == nullptr ? end : zero;
      texts.emplace_back(at, stop);
      at = stop + 1;
    }
    return texts;
  }

 private:
  nxs_value value_{};
  std::uint64_t small_[16] = {};
  std::vector<std::uint64_t> large_;
};

template <class>
inline constexpr bool alwaysFalse = false;

/// Returns the value type for a C++ type.
template <class T>
constexpr nxs_value_type valueTypeOf() noexcept {
  if constexpr (std::is_same_v<T, std::string>) {
    return NXS_ValueType_Str;
  } else if constexpr (std::is_integral_v<T>) {
    return NXS_ValueType_Int;
  } else if constexpr (std::is_floating_point_v<T>) {
    return NXS_ValueType_Flt;
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    return NXS_ValueType_IntVec;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return NXS_ValueType_FltVec;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return NXS_ValueType_StrVec;
  } else {
    static_assert(alwaysFalse<T>,
                  "A property is read as std::string, an integer, a floating-point number, or a "
                  "std::vector of std::int64_t, double or std::string.");
  }
}

template <class T>
T fromBytes(const PropertyBytes &bytes) {
  if constexpr (std::is_same_v<T, std::string>) {
    return bytes.text();
  } else if constexpr (std::is_same_v<T, bool>) {
    return bytes.number<std::int64_t>() != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const auto wide = bytes.number<std::int64_t>();
    if (!std::in_range<T>(wide)) {
      throw Error(NXS_InvalidProperty, "The property's value " + std::to_string(wide) +
                                           " does not fit into the type asked for: read it as "
                                           "std::int64_t.");
    }
    return static_cast<T>(wide);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(bytes.number<double>());
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return bytes.texts();
  } else {
    return bytes.numbers<typename T::value_type>();
  }
}

template <class T>
T readProperty(nexus_object *object, const nexus_key *path, std::uint64_t depth) {
  return fromBytes<T>(PropertyBytes([&](nxs_value *value) {
    return nexus_get_property(object, path, depth, valueTypeOf<T>(), value);
  }));
}

}  // namespace detail
}  // namespace nexus

#endif  // NEXUS_PROPERTY_HPP_
