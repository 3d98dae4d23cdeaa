// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_OBJECT_HPP_
#define NEXUS_OBJECT_HPP_

#include <nexus/property.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace nexus {

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
    std::vector<nexus_key> raw;
    raw.reserve(path.size());
    for (const Key &key : path) {
      raw.push_back(key.raw());
    }
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

}  // namespace nexus

template <std::derived_from<nexus::Object> T>
struct std::hash<T> {
  std::size_t operator()(const T &object) const noexcept {
    return std::hash<const void *>{}(object.get());
  }
};

#endif  // NEXUS_OBJECT_HPP_
