// SPDX-License-Identifier: Apache-2.0
#include "python/text.hpp"

#include "python/errors.hpp"

namespace nexus::python {

std::string parseText(py::handle value, const std::string &parameter) {
  if (PyUnicode_Check(value.ptr()) == 0) {
    throwTypeError(parameter, "a str", value);
  }
  Py_ssize_t size = 0;
  const char *const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throwValueError(parameter, value,
                    "it has a lone surrogate, which is no character; give text that encodes as "
                    "UTF-8");
  }
  return std::string(text, static_cast<std::size_t>(size));
}

std::string parsePath(py::handle value, const std::string &parameter, const std::string &wanted) {
  const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!path) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
      throw py::error_already_set();  // raised by its __fspath__
    }
    PyErr_Clear();
    throwTypeError(parameter, wanted, value);
  }
  std::string text = parseText(py::module_::import("os").attr("fsdecode")(path), parameter);
  if (text.empty()) {
    throwValueError(parameter, value, "it is the path of no file; give one");
  }
  if (text.find('\0') != std::string::npos) {
    throwValueError(parameter, value, "no file has a NUL character in its path; leave it out");
  }
  return text;
}

}  // namespace nexus::python
