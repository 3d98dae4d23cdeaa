// SPDX-License-Identifier: Apache-2.0
//
// Methods, properties and functions that Python calls without pybind11's dispatcher, which spends
// several hundred nanoseconds on optional arguments and has error texts of its own. A function
// takes its arguments as handles, one for each parameter of the signature that its docstring begins
// with, and checks them itself.
#pragma once

#include <array>
#include <concepts>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "instance.hpp"
#include "place.hpp"
#include "signature.hpp"

namespace nexus::python {

/// nexus._collections.ObjectList of the values' instances: a tuple with get(i) and size().
template <class Range>
py::object objectList(Range &&values) {
  py::list list;
  for (auto &value : values) {
    list.append(wrap(value));
  }
  return py::module_::import("nexus._collections").attr("ObjectList")(list);
}

template <class Range>
concept ObjectRange = requires { typename Range::value_type; } &&
                      std::derived_from<typename Range::value_type, Object>;

/// A new reference to what a function's result is in Python.
template <class Result>
PyObject *toPython(Result &&result) {
  using Value = std::remove_cvref_t<Result>;
  if constexpr (std::derived_from<Value, py::object>) {
    return py::object(std::forward<Result>(result)).release().ptr();
  } else if constexpr (std::derived_from<Value, Object> &&
                       !std::derived_from<Value, InstanceState>) {
    return wrap<Value>(std::forward<Result>(result)).release().ptr();
  } else if constexpr (ObjectRange<Value>) {
    return objectList(result).release().ptr();
  } else {
    return py::cast(std::forward<Result>(result)).release().ptr();
  }
}

namespace calls {

template <class Self>
struct SelfOf {  // the value in self
  static auto &get(PyObject *self) { return valueOf<std::remove_cvref_t<Self>>(self); }
};
template <>
struct SelfOf<py::handle> {
  static py::handle get(PyObject *self) { return self; }
};

template <class>
struct Callable;
template <class R, class... Parameters>
struct Callable<R (*)(Parameters...)> {
  using Result = R;
  static constexpr std::size_t size = sizeof...(Parameters);
};
template <class R, class First, class... Parameters>
struct Callable<R (*)(First, Parameters...)> {
  using Result = R;
  using Self = First;
  static constexpr std::size_t size = sizeof...(Parameters) + 1;
};

/// Calls body, which returns a new reference; nullptr with Python's error set where it throws.
/// Without catch (...), which would swallow the end of a thread.
template <class Body>
PyObject *guarded(Body &&body) {
  try {
    return body();
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::builtin_exception &error) {
    error.set_error();
  } catch (const Error &error) {
    setPythonError(error);
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// The C function of one C++ function. Bound once: it has one signature.
template <auto Function, bool IsMethod>
class Call {
 public:
  static PyMethodDef *define(const char *doc, std::string_view owner) {
    signature = new Signature(doc, owner);  // never freed, like the type that refers to it
    if (signature->size() != kParameters || method.ml_name != nullptr) {
      throw std::logic_error("A signature that is not the function's: " + signature->name());
    }
    if (notesPlaces()) method.ml_meth = asMethod(callFromPlace);
    method.ml_name = signature->name().c_str();
    method.ml_doc = doc;
    return &method;
  }

 private:
  static constexpr auto kPointer = +Function;
  using Pointer = decltype(+Function);
  static constexpr std::size_t kParameters = Callable<Pointer>::size - (IsMethod ? 1 : 0);

  template <std::size_t... Index>
  static auto invoke([[maybe_unused]] PyObject *self, PyObject *const *values,
                     std::index_sequence<Index...>) {
    if constexpr (IsMethod) {
      return kPointer(SelfOf<typename Callable<Pointer>::Self>::get(self),
                      py::handle(values[Index])...);
    } else {
      return kPointer(py::handle(values[Index])...);
    }
  }

  static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t positional,
                        PyObject *keywords) {
    std::array<PyObject *, kParameters + 1> values;  // one more, since it may not be empty
    if (!signature->bind(arguments, positional, keywords, values.data())) {
      return nullptr;
    }
    return guarded([&]() -> PyObject * {
      constexpr auto indices = std::make_index_sequence<kParameters>();
      if constexpr (std::is_void_v<typename Callable<Pointer>::Result>) {
        invoke(self, values.data(), indices);
        return Py_NewRef(Py_None);
      } else {
        return toPython(invoke(self, values.data(), indices));
      }
    });
  }

  static PyObject *callFromPlace(PyObject *self, PyObject *const *arguments, Py_ssize_t positional,
                                 PyObject *keywords) {
    notePlace();
    return call(self, arguments, positional, keywords);
  }

  using FastMethod = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
  static PyCFunction asMethod(FastMethod function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
  }

  static inline const Signature *signature = nullptr;
  static inline PyMethodDef method = {nullptr, asMethod(call), METH_FASTCALL | METH_KEYWORDS,
                                      nullptr};
};

}  // namespace calls

template <class Class>
py::object describeMethod(const py::class_<Class> &cls, PyMethodDef *definition) {
  auto *const type = reinterpret_cast<PyTypeObject *>(cls.ptr());
  auto descriptor = py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, definition));
  if (!descriptor) {
    throw py::error_already_set();
  }
  return descriptor;
}

/// Adds a method. Function takes the value in self, or self as a handle, and then the arguments.
/// doc begins with the typed signature and has to live as long as the process.
template <auto Function, class Class>
void method(py::class_<Class> &cls, const char *doc) {
  PyMethodDef *const definition =
      calls::Call<Function, true>::define(doc, py::cast<std::string>(cls.attr("__name__")));
  py::setattr(cls, definition->ml_name, describeMethod(cls, definition));
}

/// Adds a function that is called by the class.
template <auto Function, class Class>
void staticMethod(py::class_<Class> &cls, const char *doc) {
  PyMethodDef *const definition =
      calls::Call<Function, false>::define(doc, py::cast<std::string>(cls.attr("__name__")));
  const auto made =
      py::reinterpret_steal<py::object>(PyCFunction_NewEx(definition, nullptr, nullptr));
  if (!made) {
    throw py::error_already_set();
  }
  const py::handle wrap(reinterpret_cast<PyObject *>(&PyStaticMethod_Type));
  py::setattr(cls, definition->ml_name, wrap(made));
}

/// Adds a property without a setter. doc begins with "name: type".
template <auto Function, class Class>
void property(py::class_<Class> &cls, const char *doc) {
  PyMethodDef *const definition =
      calls::Call<Function, true>::define(doc, py::cast<std::string>(cls.attr("__name__")));
  const py::handle make(reinterpret_cast<PyObject *>(&PyProperty_Type));
  py::setattr(cls, definition->ml_name,
              make(describeMethod(cls, definition), py::none(), py::none(), doc));
}

/// Adds a function to the module.
template <auto Function>
void function(py::module_ &module, const char *doc) {
  PyMethodDef *const definition = calls::Call<Function, false>::define(doc, {});
  const auto made = py::reinterpret_steal<py::object>(
      PyCFunction_NewEx(definition, nullptr, module.attr("__name__").ptr()));
  if (!made) {
    throw py::error_already_set();
  }
  py::setattr(module, definition->ml_name, made);
}

}  // namespace nexus::python
