// SPDX-License-Identifier: Apache-2.0
//
// Methods, properties and functions that Python calls without pybind11's dispatcher, which takes
// several hundred nanoseconds for optional arguments and has its own error texts. A function gets
// its arguments as handles, one for each parameter of its docstring's signature, and checks them
// itself.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "python/bindings.hpp"
#include "types/instance.hpp"
#include "types/signature.hpp"

namespace nexus::python {

/// Returns a nexus._collections.ObjectList of the values' instances: a tuple with get(i) and
/// size().
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

/// Converts a function's result to Python; returns a new reference.
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

/// Returns whether NEXUS_LAYERS named the layer `validate` when the module was imported. Without it
/// no places are noted.
bool notesPlaces();

/// Notes, for that layer's messages, the innermost line outside of the package nexus as this
/// thread's place. Call it with the GIL held.
void notePlace() noexcept;

/// Sets Python's error for the exception being handled, in a catch (...). Rethrows anything but a
/// std::exception, such as a thread's cancellation.
void setErrorOfException();

/// Calls body, which returns a new reference; returns nullptr with Python's error set if it throws.
template <class Body>
PyObject *guarded(Body &&body) {
  try {
    return body();
  } catch (...) {
    setErrorOfException();
    return nullptr;
  }
}

/// Python's definition of a function. It lives as long as the process.
struct Definition {
  const Signature *signature;
  PyMethodDef method;
};

/// Fills in the values from the docstring. fromPlace replaces the function if layers need places in
/// the source. Throws if the signature does not have that many parameters, or was defined before.
void define(Definition &definition, std::size_t parameters, PyCFunction fromPlace, const char *doc,
            py::handle owner);

/// The C function of one C++ function. Defined once, since it has one signature.
template <auto Function, bool IsMethod>
class Call {
 public:
  /// owner is the class; None for a function of the module.
  static PyMethodDef *define(const char *doc, py::handle owner) {
    calls::define(definition, kParameters, asMethod(callFromPlace), doc, owner);
    return &definition.method;
  }

  /// A vectorcallfunc, for a method that is the call of its object.
  static PyObject *vectorcall(PyObject *self, PyObject *const *arguments, std::size_t count,
                              PyObject *keywords) {
    const auto function = reinterpret_cast<void (*)()>(definition.method.ml_meth);
    return reinterpret_cast<FastMethod>(function)(self, arguments, PyVectorcall_NARGS(count),
                                                  keywords);
  }

 private:
  using FastMethod = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
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
    std::array<PyObject *, kParameters + 1> values;  // one more, since it must not be empty
    if (!definition.signature->bind(arguments, positional, keywords, values.data())) {
      return nullptr;
    }
    PyObject *const result = guarded([&]() -> PyObject * {
      constexpr auto indices = std::make_index_sequence<kParameters>();
      if constexpr (std::is_void_v<typename Callable<Pointer>::Result>) {
        invoke(self, values.data(), indices);
        return Py_NewRef(Py_None);
      } else {
        return toPython(invoke(self, values.data(), indices));
      }
    });
    definition.signature->release(values.data());
    return result;
  }

  static PyObject *callFromPlace(PyObject *self, PyObject *const *arguments, Py_ssize_t positional,
                                 PyObject *keywords) {
    notePlace();
    return call(self, arguments, positional, keywords);
  }

  static PyCFunction asMethod(FastMethod function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
  }

  static inline Definition definition = {
      nullptr, {nullptr, asMethod(call), METH_FASTCALL | METH_KEYWORDS, nullptr}};
};

void addMethod(py::handle cls, PyMethodDef *definition);
/// Adds __call__ to a class whose type has a slot for it: see setVectorcall().
void addCall(py::handle cls, PyMethodDef *definition);
void addStaticMethod(py::handle cls, PyMethodDef *definition);
void addProperty(py::handle cls, PyMethodDef *definition, PyMethodDef *setter = nullptr);
void addFunction(const py::module_ &module, PyMethodDef *definition);

}  // namespace calls

/// Adds a method. Function takes the value in self, or self as a handle, and then the arguments.
/// doc begins with the typed signature and must live as long as the process.
template <auto Function, class Class>
void method(py::class_<Class> &cls, const char *doc) {
  calls::addMethod(cls, calls::Call<Function, true>::define(doc, cls));
}

template <auto Function, class Class>
void staticMethod(py::class_<Class> &cls, const char *doc) {
  calls::addStaticMethod(cls, calls::Call<Function, false>::define(doc, cls));
}

/// Adds a property without a setter. doc begins with "name: type".
template <auto Function, class Class>
void property(py::class_<Class> &cls, const char *doc) {
  calls::addProperty(cls, calls::Call<Function, true>::define(doc, cls));
}

/// Adds a property with a setter, whose signature has the value as a parameter of the property's
/// name.
template <auto Function, auto Setter, class Class>
void property(py::class_<Class> &cls, const char *doc, const char *setter) {
  calls::addProperty(cls, calls::Call<Function, true>::define(doc, cls),
                     calls::Call<Setter, true>::define(setter, cls));
}

/// Adds a function to the module.
template <auto Function>
void function(py::module_ &module, const char *doc) {
  calls::addFunction(module, calls::Call<Function, false>::define(doc, py::none()));
}

}  // namespace nexus::python
