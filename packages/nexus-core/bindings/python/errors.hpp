// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nexus.h>
#include <pybind11/pybind11.h>
#include <nexus-plugin/base/text.hpp>

#include <string>
#include <string_view>

namespace nexus::python {

using nexus_plugin::counted;

/// Returns a new reference as an object; throws Python's error for nullptr.
template <class T = pybind11::object>
T owned(PyObject *made) {
  if (made == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<T>(made);
}

/// Returns a text as a str; replaces bytes that are not UTF-8, such as those of a file's name.
pybind11::str decoded(std::string_view text);

/// Translates nexus::Error to the exceptions of nexus._errors.
void registerErrors();

/// Returns the exception of a nexus::Error, a new reference; nullptr with Python's error set.
PyObject *exceptionOf(const Error &error) noexcept;

/// Sets the Python error of a nexus::Error. Keeps a KeyboardInterrupt that ended the wait.
void setPythonError(const Error &error) noexcept;

/// Raises FileNotFoundError (also a NexusError) if there is no file, ValueError for a folder; else
/// returns. libnexus has one status for a path that can't be read, so this asks the operating
/// system. wanted: the contents, such as "a library".
void throwForFile(const char *parameter, const std::string &path, const char *wanted,
                  const Error &error);

/// "int" for 3, "numpy.ndarray" for an array.
std::string typeName(pybind11::handle object);

/// repr(object), cut if it is long; never throws.
std::string shortRepr(pybind11::handle object) noexcept;

/// Returns whether the object has the attribute. Exceptions of its getter, except AttributeError,
/// are passed on.
bool hasAttribute(pybind11::handle object, const char *name);

/// TypeError: "<parameter> has to be <wanted>, not <type> (<value>)."
[[noreturn]] void throwTypeError(const std::string &parameter, const std::string &wanted,
                                 pybind11::handle value);

/// ValueError: "<parameter> is <value>: <remedy>."
[[noreturn]] void throwValueError(const std::string &parameter, pybind11::handle value,
                                  const std::string &remedy);

}  // namespace nexus::python
