// SPDX-License-Identifier: Apache-2.0
//
// What an instance of a class of the module holds, and how one object of libnexus is one object of
// Python: whoever asks for it gets the instance that lives. Used with the GIL held.
#pragma once

#include <concepts>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "bindings.hpp"

namespace nexus::python {

/// The instance of an object of libnexus, borrowed; nullptr where none lives.
PyObject *findInstance(const nexus_object *object) noexcept;

/// Values of properties that never change, by the key that Python asked with: a str or an int.
class ConstantValues {
 public:
  ConstantValues() noexcept = default;
  ConstantValues(const ConstantValues &) = delete;
  ConstantValues &operator=(const ConstantValues &) = delete;
  ~ConstantValues() { clear(); }

  /// Borrowed; nullptr where the value is not there, also in a child process, where objects from
  /// before the fork are refused.
  PyObject *find(PyObject *key) const noexcept;
  /// Does nothing after end().
  void add(PyObject *key, PyObject *value);
  /// Forgets all for good: the object was closed, perhaps while another thread reads a value.
  void end() noexcept;

 private:
  void clear() noexcept;

  PyObject *values_ = nullptr;  // a dict
  bool ended_ = false;
  unsigned process_ = 0;
};

/// What Python adds to a value of the C++ API.
class InstanceState {
 public:
  InstanceState() noexcept = default;
  // A copy of the value is no instance yet.
  InstanceState(const InstanceState &) noexcept {}
  InstanceState(InstanceState &&) noexcept {}
  InstanceState &operator=(const InstanceState &) = delete;
  ~InstanceState();

  /// From now on findInstance(object) is instance, until this state ends.
  void intern(const nexus_object *object, PyObject *instance);

  ConstantValues constants;

 private:
  const nexus_object *object_ = nullptr;  // the key in the table
};

/// The value that an instance holds. The state ends before the value lets its object go.
template <class Value>
struct Held : Value, InstanceState {
  explicit Held(Value value) noexcept : Value(std::move(value)) {}
};

/// The type that an instance of the class for Value holds.
template <class Value>
struct InstanceOf {
  static constexpr bool isPlain =
      std::derived_from<Value, Object> && !std::derived_from<Value, InstanceState>;
  using type = std::conditional_t<isPlain, Held<Value>, Value>;
};
struct BufferObject;  // buffer.hpp
template <>
struct InstanceOf<Buffer> {
  static constexpr bool isPlain = true;
  using type = BufferObject;
};

/// The Python class for Value; borrowed from the module, which is never unloaded.
template <class Value>
inline PyTypeObject *classOf = nullptr;

/// Whether the object is an instance of the class for Value. The classes are final.
template <class Value>
bool isA(py::handle object) noexcept {
  return Py_TYPE(object.ptr()) == classOf<Value>;
}

/// The value in an instance of the class for Value, which the caller has checked.
template <class Value>
auto &valueOf(PyObject *self) noexcept {
  auto *const instance = reinterpret_cast<py::detail::instance *>(self);
  return *static_cast<typename InstanceOf<Value>::type *>(instance->simple_value_holder[0]);
}

/// A new instance that holds the value, which is interned.
///
/// As pybind11's own caster makes it, but for what costs more than the rest: it finds the class by
/// the name of the C++ type, several times, and keeps a table of instances, which is here too.
template <class T>
py::object makeInstance(T value) {
  auto made = py::reinterpret_steal<py::object>(py::detail::make_new_instance(classOf<T>));
  auto *const instance = reinterpret_cast<py::detail::instance *>(made.ptr());
  const nexus_object *const object = value.get();
  auto held = std::make_unique<T>(std::move(value));
  held->intern(object, made.ptr());
  instance->simple_value_holder[0] = held.get();
  static_assert(sizeof(held) == sizeof(void *));  // pybind11's default holder, behind the value
  ::new (static_cast<void *>(&instance->simple_value_holder[1]))
      std::unique_ptr<T>(std::move(held));
  instance->simple_holder_constructed = true;
  return made;
}

/// The instance of a value's object; None for an empty value.
template <std::derived_from<Object> Value>
py::object wrap(Value value);

}  // namespace nexus::python

/// Gives the instance of the object that lives, and makes one where there is none.
template <class T>
struct pybind11::detail::type_caster<
    T, std::enable_if_t<std::is_base_of_v<nexus::python::InstanceState, T>>> : type_caster_base<T> {
  static handle cast(T &&value, return_value_policy, handle) {
    if (PyObject *const live = nexus::python::findInstance(value.get())) {
      return handle(live).inc_ref();
    }
    return nexus::python::makeInstance(std::move(value)).release();
  }
  static handle cast(const T &value, return_value_policy policy, handle parent) {
    return cast(T(value), policy, parent);
  }
};

/// Values of the C++ API become instances too. The other way is argumentOf<Value> (object.hpp).
template <class T>
struct pybind11::detail::type_caster<
    T, std::enable_if_t<nexus::python::InstanceOf<T>::isPlain && !std::is_const_v<T>>> {
  static constexpr auto name = const_name("nexus object");
  static handle cast(T value, return_value_policy, handle) {
    return nexus::python::wrap(std::move(value)).release();
  }
};

namespace nexus::python {

template <std::derived_from<Object> Value>
py::object wrap(Value value) {
  if (!value) {
    return py::none();
  }
  if (PyObject *const live = findInstance(value.get())) {
    return py::reinterpret_borrow<py::object>(live);
  }
  return py::cast(typename InstanceOf<Value>::type(std::move(value)));
}

}  // namespace nexus::python
