// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OBJECT_HPP_
#define NEXUS_OBJECT_HPP_

#include <nexus/property.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nexus {

/// How long a call may wait. Negative values count as zero.
using Timeout = std::chrono::nanoseconds;

/// A wait without a limit.
inline constexpr Timeout forever = Timeout::max();

/// The base of all objects: a value that shares one object of libnexus.
///
/// Copies share the object; the last one releases it. An object keeps alive all that it needs, so
/// values may be destroyed in any order. A default-constructed value is empty; its functions throw
/// Error with NXS_Invalid<Object>.
///
/// Threads: distinct values may be used at the same time, also if they share one object; a single
/// value must be guarded like any other C++ value.
class Object {
 public:
  Object() noexcept = default;
  Object(const Object &other) noexcept : object_(other.object_) { nexus_retain(object_); }
  Object(Object &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object &operator=(Object other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Object() {
    if (object_ != nullptr) {
      nexus_release(object_);
    }
  }

  explicit operator bool() const noexcept { return object_ != nullptr; }

  /// Returns whether both are the same object.
  friend bool operator==(const Object &a, const Object &b) noexcept {
    return a.object_ == b.object_;
  }

  /// Returns the object for the C functions: borrowed, valid as long as this value.
  nexus_object *get() const noexcept { return object_; }

  /// Reads a property by name, by NP_ key or by a path of both: getProperty<std::string>("Vendor"),
  /// getProperty<std::string>(NP_Vendor), getProperty<int64_t>({"Limits", 0, "Size"}).
  ///
  /// T is std::string, an integer, a floating-point number, or a std::vector of std::int64_t,
  /// double or std::string. Throws Error with NXS_InvalidProperty if there is no such property (the
  /// text has similar names) or if it has another type.
  template <class T>
  T getProperty(const Key &key) const {
    return detail::readProperty<T>(object_, &key.raw(), 1);
  }
  template <class T>
  T getProperty(std::initializer_list<Key> path) const {
    return getProperty<T>(std::vector<Key>(path));
  }
  template <class T>
  T getProperty(const std::vector<Key> &path) const {
    const std::vector<nexus_key> raw = detail::rawKeys(path);
    return detail::readProperty<T>(object_, raw.data(), raw.size());
  }

  /// Returns the names of the object's properties.
  std::vector<std::string> getPropertyKeys() const {
    return detail::PropertyBytes(
               [this](nxs_value *value) { return nexus_get_property_keys(object_, value); })
        .texts();
  }

 protected:
  /// Takes over the caller's reference.
  explicit Object(nexus_object *object) noexcept : object_(object) {}

  /// Closes the object; work in flight finishes. See nexus_close.
  void closeObject() const { detail::check(nexus_close(object_)); }

 private:
  nexus_object *object_ = nullptr;
};

namespace detail {

constexpr std::uint64_t toNanoseconds(Timeout timeout) noexcept {
  if (timeout == forever) {
    return NEXUS_FOREVER;
  }
  return timeout.count() < 0 ? 0 : static_cast<std::uint64_t>(timeout.count());
}

/// Calls a C function and returns what it writes to its last parameter: an object of the class T,
/// or a value of that type. Throws its failure.
template <class T, class Function, class... Arguments>
T result(Function function, Arguments... arguments) {
  std::conditional_t<std::derived_from<T, Object>, nexus_object *, T> out{};
  check(function(arguments..., &out));
  return T(out);
}

/// Returns get(0) to get(count - 1).
template <class Get>
auto listOf(std::uint64_t count, Get get) {
  std::vector<decltype(get(count))> list;
  list.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t index = 0; index < count; ++index) {
    list.push_back(get(index));
  }
  return list;
}

/// Collects bytes from the core in a string.
class StringSink {
 public:
  StringSink() = default;
  StringSink(const StringSink &) = delete;
  StringSink &operator=(const StringSink &) = delete;

  const nxs_sink *get() const noexcept { return &sink_; }
  /// Throws Error if there was no memory for all of it.
  std::string take() {
    if (failed_) {
      throw Error(NXS_OutOfHostMemory, "There is no memory for the bytes.");
    }
    return std::move(bytes_);
  }

 private:
  static void write(void *context, const void *data, std::uint64_t size) noexcept {
    auto *self = static_cast<StringSink *>(context);
    try {
      self->bytes_.append(static_cast<const char *>(data), static_cast<std::size_t>(size));
    } catch (const std::exception &) {
      self->failed_ = true;  // no exception may leave a C function; take() throws
    }
  }

  std::string bytes_;
  bool failed_ = false;
  nxs_sink sink_{sizeof(nxs_sink), this, &StringSink::write};
};

/// Calls a C function and returns the bytes that it writes to the sink, its last parameter. Throws
/// its failure.
template <class Function, class... Arguments>
std::string written(Function function, Arguments... arguments) {
  StringSink sink;
  check(function(arguments..., sink.get()));
  return sink.take();
}

}  // namespace detail
}  // namespace nexus

template <std::derived_from<nexus::Object> T>
struct std::hash<T> {
  std::size_t operator()(const T &object) const noexcept {
    return std::hash<const void *>{}(object.get());
  }
};

#endif  // NEXUS_OBJECT_HPP_
