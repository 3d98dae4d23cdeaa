// SPDX-License-Identifier: Apache-2.0
//
// Methods that Python calls without pybind11's dispatcher, for the path that runs a schedule:
// pybind11 spends several hundred nanoseconds on three optional arguments, this a few tens.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "bindings.hpp"

namespace nexus::python {

/// Sorts the arguments of a vector call by name. names are the parameters after self; values[i]
/// becomes the argument of names[i], borrowed, or stays what it was where there is none. False:
/// TypeError is set.
template <std::size_t Count>
bool parseArguments(const char *function, const std::array<const char *, Count> &names,
                    PyObject *const *arguments, Py_ssize_t positional, PyObject *keywords,
                    std::array<PyObject *, Count> &values) {
  if (positional > static_cast<Py_ssize_t>(Count)) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments, %zd were given.", function,
                 Count, positional);
    return false;
  }
  for (Py_ssize_t index = 0; index < positional; ++index) {
    values[static_cast<std::size_t>(index)] = arguments[index];
  }
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t at = 0; at < named; ++at) {
    PyObject *const name = PyTuple_GET_ITEM(keywords, at);
    std::size_t index = 0;
    while (index < Count && PyUnicode_CompareWithASCIIString(name, names[index]) != 0) {
      ++index;
    }
    if (index == Count) {
      PyErr_Format(PyExc_TypeError, "%s() has no parameter '%U'.", function, name);
      return false;
    }
    if (static_cast<Py_ssize_t>(index) < positional) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for '%U'.", function, name);
      return false;
    }
    values[index] = arguments[positional + at];
  }
  return true;
}

/// Adds a method to a class. method has to live as long as the process.
inline void addMethod(py::handle cls, PyMethodDef *method) {
  auto *const type = reinterpret_cast<PyTypeObject *>(cls.ptr());
  const auto descriptor = py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, method));
  if (!descriptor) {
    throw py::error_already_set();
  }
  py::setattr(cls, method->ml_name, descriptor);
}

}  // namespace nexus::python
