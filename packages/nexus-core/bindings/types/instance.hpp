// SPDX-License-Identifier: Apache-2.0
//
// The state in an instance of a class of the module. Each object of libnexus has at most one live
// instance, which is returned for it each time. Used with the GIL held.
#pragma once

#include <concepts>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "python/bindings.hpp"
#include "python/shared_state.hpp"

namespace nexus::python {

/// Returns the live instance of an object of libnexus, a new reference; nullptr if there is none.
PyObject *findInstance(const nexus_object *object) noexcept;

/// Cached values of constant properties, by the key from Python: a str or an int.
class ConstantValues {
 public:
  ConstantValues() noexcept = default;
  ConstantValues(const ConstantValues &) = delete;
  ConstantValues &operator=(const ConstantValues &) = delete;

  /// Returns an empty object if there is no value, and in a child process, where objects made
  /// before the fork are refused.
  py::object find(PyObject *key) const noexcept;
  /// Does nothing after end().
  void add(PyObject *key, PyObject *value);
  /// Clears it for good: the object was closed, perhaps while another thread reads a value.
  void end() noexcept;

 private:
  mutable StateMutex mutex_;
  py::object values_;  // a dict, or empty
  bool ended_ = false;
  unsigned process_ = 0;
};

/// Python's additions to a value of the C++ API.
class InstanceState {
 public:
  InstanceState() noexcept = default;
  // Not copied: a copy of the value has no instance yet.
  InstanceState(const InstanceState &) noexcept {}
  InstanceState(InstanceState &&) noexcept {}
  InstanceState &operator=(const InstanceState &) = delete;
  ~InstanceState();

  /// Registers instance, which is complete, as the result of findInstance(object), until this state
  /// is destroyed; returns nullptr. If another thread was faster, returns its instance instead, a
  /// new reference.
  PyObject *intern(const nexus_object *object, PyObject *instance);

  ConstantValues constants;

 private:
  const nexus_object *object_ = nullptr;  // the key in the table; nullptr if not registered
  PyObject *instance_ = nullptr;          // borrowed
};

/// The value in an instance. The state is destroyed before the value releases its object.
template <class Value>
struct Held : Value, InstanceState {
  explicit Held(Value value) noexcept : Value(std::move(value)) {}
};

/// The type of the value in an instance of the class for Value.
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
struct KernelObject;  // kernel.hpp
template <>
struct InstanceOf<Kernel> {
  static constexpr bool isPlain = true;
  using type = KernelObject;
};

/// The Python class for Value; borrowed from the module, which is never unloaded.
template <class Value>
inline PyTypeObject *classOf = nullptr;

/// Returns whether the object is an instance of the class for Value. The classes are final.
template <class Value>
bool isA(py::handle object) noexcept {
  return Py_TYPE(object.ptr()) == classOf<Value>;
}

/// Returns the value in an instance of the class for Value; the caller has checked the class.
template <class Value>
auto &valueOf(PyObject *self) noexcept {
  auto *const instance = reinterpret_cast<py::detail::instance *>(self);
  return *static_cast<typename InstanceOf<Value>::type *>(instance->simple_value_holder[0]);
}

/// The function that calls an instance of a class with T::vectorcall, behind pybind11's part of the
/// instance. Python's way by the attribute __call__ would make a tuple and a dict of the arguments.
inline vectorcallfunc *vectorcallOf(PyObject *self) noexcept {
  return reinterpret_cast<vectorcallfunc *>(reinterpret_cast<char *>(self) +
                                            sizeof(py::detail::instance));
}

/// Makes and registers an instance that holds the value.
///
/// Does what pybind11's own caster does, without its slow parts: looking up the class by the name
/// of the C++ type, several times, and a second table of instances.
template <class T>
py::object makeInstance(T value) {
  auto made = py::reinterpret_steal<py::object>(py::detail::make_new_instance(classOf<T>));
  auto *const instance = reinterpret_cast<py::detail::instance *>(made.ptr());
  const nexus_object *const object = value.get();
  auto held = std::make_unique<T>(std::move(value));
  T *const state = held.get();
  instance->simple_value_holder[0] = state;
  static_assert(sizeof(held) == sizeof(void *));  // pybind11's default holder, after the value
  ::new (static_cast<void *>(&instance->simple_value_holder[1]))
      std::unique_ptr<T>(std::move(held));
  instance->simple_holder_constructed = true;
  if constexpr (requires { &T::vectorcall; }) *vectorcallOf(made.ptr()) = &T::vectorcall;
  PyObject *const faster = state->intern(object, made.ptr());
  return faster == nullptr ? made : py::reinterpret_steal<py::object>(faster);
}

/// Returns the instance of a value's object; None for an empty value.
template <std::derived_from<Object> Value>
py::object wrap(Value value);

}  // namespace nexus::python

/// Returns the live instance of the object, or makes one.
template <class T>
struct pybind11::detail::type_caster<
    T, std::enable_if_t<std::is_base_of_v<nexus::python::InstanceState, T>>> : type_caster_base<T> {
  static handle cast(T &&value, return_value_policy, handle) {
    if (PyObject *const live = nexus::python::findInstance(value.get())) {
      return live;
    }
    return nexus::python::makeInstance(std::move(value)).release();
  }
  static handle cast(const T &value, return_value_policy policy, handle parent) {
    return cast(T(value), policy, parent);
  }
};

/// Converts values of the C++ API to instances. The reverse is argumentOf<Value> (object.hpp).
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
    return py::reinterpret_steal<py::object>(live);
  }
  return py::cast(typename InstanceOf<Value>::type(std::move(value)));
}

}  // namespace nexus::python
