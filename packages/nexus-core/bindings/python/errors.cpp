// SPDX-License-Identifier: Apache-2.0
#include "python/errors.hpp"

#include <exception>

#include "python/gil.hpp"

namespace py = pybind11;

namespace nexus::python {

py::str decoded(std::string_view text) {
  return owned<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

PyObject *exceptionOf(const Error &error) noexcept {
  try {
    return py::module_::import("nexus._errors")
        .attr("from_status")(error.status(), decoded(error.what()), error.nativeCode(),
                             error.backend(), decoded(error.log()))
        .release()
        .ptr();
  } catch (py::error_already_set &failure) {
    failure.restore();
  } catch (const std::exception &failure) {
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
  return nullptr;
}

void setPythonError(const Error &error) noexcept {
  stayAtTheEnd();
  if (error.status() == NXS_Cancelled && PyErr_Occurred() != nullptr) {
    return;  // keep the exception of the signal handler
  }
  if (PyObject *const exception = exceptionOf(error)) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception)), exception);
    Py_DECREF(exception);
  }
}

void throwForFile(const char *parameter, const std::string &path, const char *wanted,
                  const Error &error) {
  py::module_::import("nexus._errors")
      .attr("raise_for_file")(parameter, path, wanted, error.status(), error.what(),
                              error.nativeCode(), error.backend());
}

void registerErrors() {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) {
        std::rethrow_exception(pointer);
      }
    } catch (const Error &error) {
      setPythonError(error);
    }
  });
}

std::string typeName(py::handle object) {
  const py::handle type = py::type::handle_of(object);
  const auto name = py::cast<std::string>(type.attr("__qualname__"));
  const auto module = py::cast<std::string>(py::str(type.attr("__module__")));
  return module == "builtins" ? name : module + "." + name;
}

std::string shortRepr(py::handle object) noexcept {
  try {
    auto text = py::cast<std::string>(py::repr(object));
    constexpr std::size_t longest = 80;
    if (text.size() > longest) {
      std::size_t end = longest;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;  // don't cut a character
      }
      text = text.substr(0, end) + "...";
    }
    return text;
  } catch (const std::exception &) {
    return "an object whose repr fails";
  }
}

bool hasAttribute(py::handle object, const char *name) {
  const auto interned = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name));
  PyObject *value = nullptr;
  // A missing attribute is the usual case; raising and clearing an AttributeError would be slower.
#if PY_VERSION_HEX >= 0x030D0000
  const int found = PyObject_GetOptionalAttr(object.ptr(), interned.ptr(), &value);
#else
  const int found = _PyObject_LookupAttr(object.ptr(), interned.ptr(), &value);
#endif
  if (found < 0) {
    throw py::error_already_set();
  }
  Py_XDECREF(value);
  return found > 0;
}

void throwTypeError(const std::string &parameter, const std::string &wanted, py::handle value) {
  throw py::type_error(parameter + " has to be " + wanted + ", not " + typeName(value) + " (" +
                       shortRepr(value) + ").");
}

void throwValueError(const std::string &parameter, py::handle value, const std::string &remedy) {
  throw py::value_error(parameter + " is " + shortRepr(value) + ": " + remedy + ".");
}

}  // namespace nexus::python
