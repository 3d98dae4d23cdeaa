// SPDX-License-Identifier: Apache-2.0
/// Objects of Nexus as arguments and results of a Python extension. Include it after
/// <pybind11/pybind11.h> or <nanobind/nanobind.h>, for which it has type casters:
///
///     PYBIND11_MODULE(example, module, py::mod_gil_not_used()) {
///       nexus::python::registerErrors();
///       module.def("scale", &scale, py::arg("x"), py::arg("stream") = nexus::Stream(),
///                  py::call_guard<py::gil_scoped_release>());
///     }
///
/// Python's object and the C++ value are one object of libnexus; nothing is copied. An empty value
/// becomes None. None becomes an empty Stream, the default one; it is refused for other classes
/// unless the parameter is a std::optional. Release the GIL as above if a function waits: the work
/// it waits for may be a function of Python.
///
/// The extension must use the libnexus of the installed package: import nexus before it.
#ifndef NEXUS_PYTHON_HPP_
#define NEXUS_PYTHON_HPP_

#include <Python.h>

#include <nexus/buffer.hpp>
#include <nexus/command.hpp>
#include <nexus/device.hpp>
#include <nexus/error.hpp>
#include <nexus/event.hpp>
#include <nexus/kernel.hpp>
#include <nexus/library.hpp>
#include <nexus/object_code.hpp>
#include <nexus/runtime.hpp>
#include <nexus/schedule.hpp>
#include <nexus/stream.hpp>

#include <cstdint>
#include <exception>
#include <type_traits>

/// The module nexus and the extension may be built by different compilers, with different versions
/// of pybind11. Between them only functions of Python are called:
///   - object.__nexus_object__() returns a capsule "nexus_object", which owns a nexus_object *;
///   - nexus._core.from_capsule(capsule) returns the Python object of such a capsule;
///   - nexus._errors.from_status(...) returns the exception of a nexus::Error.
namespace nexus::python {

inline constexpr const char *kCapsule = "nexus_object";

/// The name and type of a class that Python has too.
template <class T>
struct Class;
#define NEXUS_PYTHON_CLASS(Name)                                   \
  template <>                                                      \
  struct Class<Name> {                                             \
    static constexpr char name[] = "nexus." #Name;                 \
    static constexpr nxs_object_type type = NXS_ObjectType_##Name; \
  }
NEXUS_PYTHON_CLASS(Buffer);
NEXUS_PYTHON_CLASS(Command);
NEXUS_PYTHON_CLASS(Device);
NEXUS_PYTHON_CLASS(Event);
NEXUS_PYTHON_CLASS(Kernel);
NEXUS_PYTHON_CLASS(Library);
NEXUS_PYTHON_CLASS(ObjectCode);
NEXUS_PYTHON_CLASS(Runtime);
NEXUS_PYTHON_CLASS(Schedule);
NEXUS_PYTHON_CLASS(Stream);
#undef NEXUS_PYTHON_CLASS

template <class T>
concept Shared = requires { Class<T>::type; };

/// Returns the value of a Python object; an empty one, without Python's error, if the object is of
/// another class. Requires the GIL, as all functions here.
template <Shared T>
T fromPython(PyObject *object) noexcept {
  T value;
  PyObject *const capsule = PyObject_CallMethod(object, "__nexus_object__", nullptr);
  if (capsule != nullptr && PyCapsule_IsValid(capsule, kCapsule) != 0) {
    auto *const shared = static_cast<nexus_object *>(PyCapsule_GetPointer(capsule, kCapsule));
    if (nexus_object_get_type(shared) == Class<T>::type) {
      nexus_retain(shared);
      value = T(shared);
    }
  }
  PyErr_Clear();
  Py_XDECREF(capsule);
  return value;
}

/// Returns the Python object of a value, a new reference: the one that Python has, or else a new
/// one. NULL with Python's error if that fails.
template <Shared T>
PyObject *toPython(const T &value) noexcept {
  if (!value) return Py_NewRef(Py_None);
  PyObject *const capsule = PyCapsule_New(value.get(), kCapsule, nullptr);
  PyObject *const core = capsule == nullptr ? nullptr : PyImport_ImportModule("nexus._core");
  PyObject *const object =
      core == nullptr ? nullptr : PyObject_CallMethod(core, "from_capsule", "O", capsule);
  Py_XDECREF(core);
  Py_XDECREF(capsule);
  return object;
}

/// Sets Python's error of a nexus::Error: nexus.NexusError, or the class for its status. Keeps the
/// KeyboardInterrupt that ended a wait.
inline void setError(const Error &error) noexcept {
  if (error.status() == NXS_Cancelled && PyErr_Occurred() != nullptr) return;
  PyObject *const errors = PyImport_ImportModule("nexus._errors");
  PyObject *const exception =
      errors == nullptr
          ? nullptr
          : PyObject_CallMethod(errors, "from_status", "isLss", error.status(), error.what(),
                                static_cast<long long>(error.nativeCode()), error.backend().c_str(),
                                error.log().c_str());
  if (exception != nullptr) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception)), exception);
  }
  Py_XDECREF(exception);
  Py_XDECREF(errors);
}

/// Sets Python's error if the exception is a nexus::Error; else throws it again.
inline void translate(const std::exception_ptr &exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error &error) {
    setError(error);
  }
}

}  // namespace nexus::python

#ifdef PYBIND11_VERSION_MAJOR

namespace nexus::python {

/// Makes a nexus::Error that leaves the extension's functions a nexus.NexusError.
inline void registerErrors() {
  pybind11::register_local_exception_translator([](std::exception_ptr exception) {
    if (exception) translate(exception);
  });
}

}  // namespace nexus::python

template <nexus::python::Shared T>
struct pybind11::detail::type_caster<T> {
  PYBIND11_TYPE_CASTER(T, const_name(nexus::python::Class<T>::name));

  bool load(handle source, bool) {
    value = nexus::python::fromPython<T>(source.ptr());
    return value || (std::is_same_v<T, nexus::Stream> && source.is_none());
  }
  static handle cast(const T &source, return_value_policy, handle) {
    PyObject *const object = nexus::python::toPython(source);
    if (object == nullptr) throw error_already_set();
    return object;
  }
};

#endif

#ifdef NB_VERSION_MAJOR

namespace nexus::python {

/// Makes a nexus::Error that leaves the extension's functions a nexus.NexusError.
inline void registerErrors() {
  nanobind::register_exception_translator(
      [](const std::exception_ptr &exception, void *) { translate(exception); });
}

}  // namespace nexus::python

template <nexus::python::Shared T>
struct nanobind::detail::type_caster<T> {
  NB_TYPE_CASTER(T, const_name(nexus::python::Class<T>::name))

  bool from_python(handle source, std::uint8_t, cleanup_list *) noexcept {
    value = nexus::python::fromPython<T>(source.ptr());
    return value || (std::is_same_v<T, nexus::Stream> && source.is_none());
  }
  static handle from_cpp(const T &source, rv_policy, cleanup_list *) noexcept {
    return nexus::python::toPython(source);
  }
};

template <>  // else nanobind refuses None before the caster
struct nanobind::detail::has_arg_defaults<nexus::Stream> : std::true_type {};

#endif

#endif  // NEXUS_PYTHON_HPP_
