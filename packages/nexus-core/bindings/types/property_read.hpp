// SPDX-License-Identifier: Apache-2.0
//
// get_property_str and related methods. A constant property is read once, and then returned from a
// dict in the instance.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/gil.hpp"
#include "types/method.hpp"

namespace nexus::python {

/// The key of a property from Python: a str, an int or member of nexus.property, or a list or tuple
/// of them. TypeError for others.
class PropertyPath {
 public:
  explicit PropertyPath(py::handle key);

  const std::vector<Key> &keys() const noexcept { return keys_; }

 private:
  void add(py::handle step);

  std::vector<Key> keys_;
  py::object owner_;  // owns the texts that the keys borrow
};

/// Returns a property in its own type: str, int, float, a list of them, or for structured ones a
/// dict or a list of dicts.
py::object readAnyProperty(const Object &object, py::handle key);

/// Returns the value of a property; nothing if the object does not have it.
template <class Value>
std::optional<Value> findProperty(const Object &object, nxs_property number) {
  try {
    return withoutGil([&] { return object.getProperty<Value>(number); });
  } catch (const Error &error) {
    if (error.status() != NXS_InvalidProperty) throw;
    return std::nullopt;
  }
}

template <class Value, class Class>
Value readProperty(const Class &object, py::handle key) {
  const PropertyPath path(key);
  return withoutGil([&] { return object.template getProperty<Value>(path.keys()); });
}

/// Returns whether a cached value has the type that get_property_<Value> returns.
template <class Value>
bool isExactly(PyObject *value) noexcept {
  if constexpr (std::same_as<Value, std::string>) {
    return PyUnicode_CheckExact(value) != 0;
  } else if constexpr (std::same_as<Value, std::int64_t>) {
    return PyLong_CheckExact(value) != 0;
  } else {
    return PyFloat_CheckExact(value) != 0;
  }
}

/// Returns whether a key may be a key of the dict: not a bool, which is equal to an int.
inline bool isSingleKey(PyObject *key) noexcept {
  return PyUnicode_CheckExact(key) != 0 || (PyLong_Check(key) != 0 && PyBool_Check(key) == 0);
}

/// Returns whether the property is constant for objects of that type, and has values of that type.
bool isConstant(PyObject *key, nxs_object_type object, nxs_value_type value) noexcept;

/// Returns the type of a class's objects; None for nexus.Properties, which never change.
template <class Class>
constexpr nxs_object_type objectTypeOf() noexcept {
  if constexpr (std::derived_from<Class, Runtime>) {
    return NXS_ObjectType_Runtime;
  } else if constexpr (std::derived_from<Class, Device>) {
    return NXS_ObjectType_Device;
  } else if constexpr (std::derived_from<Class, Buffer>) {
    return NXS_ObjectType_Buffer;
  } else if constexpr (std::derived_from<Class, Library>) {
    return NXS_ObjectType_Library;
  } else if constexpr (std::derived_from<Class, Kernel>) {
    return NXS_ObjectType_Kernel;
  } else if constexpr (std::derived_from<Class, Stream>) {
    return NXS_ObjectType_Stream;
  } else if constexpr (std::derived_from<Class, Event>) {
    return NXS_ObjectType_Event;
  } else if constexpr (std::derived_from<Class, Schedule>) {
    return NXS_ObjectType_Schedule;
  } else if constexpr (std::derived_from<Class, Command>) {
    return NXS_ObjectType_Command;
  } else {
    return NXS_ObjectType_None;
  }
}

/// Reads one str, int or float.
template <class Class, class Value>
py::object readSingle(Class &self, py::handle key) {
  const bool single = isSingleKey(key.ptr());
  if (single) {
    py::object known = self.constants.find(key.ptr());
    if (known && isExactly<Value>(known.ptr())) {
      return known;
    }
  }
  py::object value = py::cast(readProperty<Value>(self, key));
  if (single && isConstant(key.ptr(), objectTypeOf<Class>(), nexus::detail::valueTypeOf<Value>())) {
    self.constants.add(key.ptr(), value.ptr());
  }
  return value;
}

/// Reads a list, a new one each time, since the program may change it.
template <class Class, class Value>
py::object readList(Class &self, py::handle key) {
  return py::cast(readProperty<std::vector<Value>>(self, key));
}

/// Keeps a docstring as long as the process, like its method.
inline const char *keep(std::string text) {
  return (new std::string(std::move(text)))->c_str();
}

/// Returns the docstring of a function of that name that reads a property as type.
const char *docOfRead(const std::string &name, const std::string &type);

/// Adds get_property_str and related methods, and get_property_keys; stem is "get_property", or
/// "get" on Properties.
template <class Class>
void bindTypedReads(py::class_<Class> &cls, const std::string &stem) {
  method<&readSingle<Class, std::string>>(cls, docOfRead(stem + "_str", "str"));
  method<&readSingle<Class, std::int64_t>>(cls, docOfRead(stem + "_int", "int"));
  method<&readSingle<Class, double>>(cls, docOfRead(stem + "_flt", "float"));
  method<&readList<Class, std::string>>(cls, docOfRead(stem + "_str_vec", "list[str]"));
  method<&readList<Class, std::int64_t>>(cls, docOfRead(stem + "_int_vec", "list[int]"));
  method<&readList<Class, double>>(cls, docOfRead(stem + "_flt_vec", "list[float]"));
  method<[](const Class &self) { return withoutGil([&] { return self.getPropertyKeys(); }); }>(
      cls,
      keep(stem + "_keys(self) -> list[str]\n\nReturns the names of the object's properties."));
}

/// Adds all methods that read an object's properties.
template <class Class>
void bindProperties(py::class_<Class> &cls) {
  method<[](const Class &self, py::handle key) { return readAnyProperty(self, key); }>(
      cls,
      "get_property(self, key: PropertyKey) -> Any\n\nReads a property in its own type: str, int, "
      "float, a list of them, or a dict or list of dicts for structured ones.\n\nkey is a name "
      "('Vendor'), a member of nexus.property, or a path: a list of both, with ints as indices of "
      "lists. Raises PropertyNotFoundError, a RuntimeError, if there is no such property; the text "
      "names similar keys.");
  bindTypedReads(cls, "get_property");
  property<[](py::handle self) {
    return py::module_::import("nexus._property_view").attr("PropertyView")(self);
  }>(cls,
     "properties: PropertyView\n\nA mapping from the properties' names to their values, each read "
     "when it is accessed.");
}

}  // namespace nexus::python
