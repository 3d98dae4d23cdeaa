// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "python/bindings.hpp"

namespace nexus::python {

/// What an argument with the default "..." is if it is left out.
py::handle omitted();

/// The parameters of a function, read from the typed signature at the start of its docstring:
/// "run(self, stream: Stream | None = None, *, blocking: bool = True) -> None". Defaults are None,
/// True, False, (), an int, or "..." for omitted(). "*args" gets a tuple; "**named", the last, gets
/// a dict, or nothing if there are no other names. A property's is "name: type".
class Signature {
 public:
  /// doc must live as long as the signature. owner is the class, or empty.
  Signature(const char *doc, std::string_view owner);

  const std::string &name() const noexcept { return name_; }
  std::size_t size() const noexcept { return parameters_.size(); }  ///< Without self.

  /// Sorts the arguments of a vector call into values, one for each parameter, borrowed but for
  /// what release() releases. Returns false with a TypeError that names the parameter.
  bool bind(PyObject *const *arguments, Py_ssize_t positional, PyObject *keywords,
            PyObject **values) const {
    if (sort(arguments, positional, keywords, values)) return true;
    release(values);
    return false;
  }

  /// Releases what bind() made for "*args" and "**named", after the call.
  void release(PyObject *const *values) const noexcept {
    if (variadic_) Py_XDECREF(values[keywordFrom_]);
    if (takesNames_) Py_XDECREF(values[parameters_.size() - 1]);
  }

 private:
  struct Parameter {
    PyObject *name;      // interned, never freed; nullptr for "*args" and "**named"
    PyObject *fallback;  // nullptr: required
  };

  void add(std::string_view text);
  bool sort(PyObject *const *arguments, Py_ssize_t positional, PyObject *keywords,
            PyObject **values) const;
  bool bindKeyword(PyObject *name, PyObject *value, PyObject **values) const;
  void refuseCount(Py_ssize_t positional) const;

  std::string name_;   // "run"
  std::string shown_;  // "Schedule.run"
  std::vector<Parameter> parameters_;
  std::size_t positionalOnly_ = 0;  // number that can't be given by name
  std::size_t keywordFrom_ = 0;     // number that can be given by position
  bool variadic_ = false;           // whether the next one is "*args"
  bool takesNames_ = false;         // whether the last one is "**named"
};

}  // namespace nexus::python
