// SPDX-License-Identifier: Apache-2.0
#include "types/signature.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace nexus::python {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// Returns the place of the first comma outside of brackets, or the end of the text.
std::size_t topLevelComma(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : 0;
    depth -= text[at] == ')' || text[at] == ']' ? 1 : 0;
    if (text[at] == ',' && depth == 0) {
      return at;
    }
  }
  return text.size();
}

PyObject *defaultValue(std::string_view text) {
  if (text == "None") {
    return Py_NewRef(Py_None);
  }
  if (text == "...") {
    return omitted().inc_ref().ptr();
  }
  if (text == "True" || text == "False") {
    return PyBool_FromLong(text == "True" ? 1 : 0);
  }
  if (text == "()") {
    return PyTuple_New(0);
  }
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::logic_error("No default of a signature: " + std::string(text));
  }
  return PyLong_FromLong(number);
}

}  // namespace

py::handle omitted() {
  static PyObject *const object =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  return object;
}

Signature::Signature(const char *doc, std::string_view owner) {
  const std::string_view text(doc);
  const std::size_t open = text.find_first_of("(:");
  if (open != std::string_view::npos && text[open] == ':') {  // a property: "name: type"
    name_ = text.substr(0, open);
    shown_ = std::string(owner) + "." + name_;
    return;
  }
  const std::size_t close = text.find(") -> ");
  if (open == std::string_view::npos || close == std::string_view::npos) {
    throw std::logic_error("A docstring without a signature: " + std::string(text));
  }
  name_ = text.substr(0, open);
  shown_ = owner.empty() ? name_ : std::string(owner) + "." + name_;
  bool keywordOnly = false;
  for (std::string_view rest = text.substr(open + 1, close - open - 1); !rest.empty();) {
    const std::size_t comma = topLevelComma(rest);
    const std::string_view parameter = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (parameter == "/") {
      positionalOnly_ = parameters_.size();
    } else if (parameter == "*") {
      keywordOnly = true;
    } else if (parameter != "self") {
      takesNames_ = parameter.starts_with("**");
      variadic_ = variadic_ || (parameter[0] == '*' && !takesNames_);
      keywordOnly = keywordOnly || variadic_ || takesNames_;
      add(parameter);
      keywordFrom_ += keywordOnly ? 0 : 1;
    }
  }
}

void Signature::add(std::string_view text) {
  if (text[0] == '*') {  // no argument has its name
    parameters_.push_back({nullptr, nullptr});
    return;
  }
  const std::string name(trimmed(text.substr(0, text.find(':'))));
  const std::size_t equals = text.rfind(" = ");
  PyObject *const interned = PyUnicode_InternFromString(name.c_str());
  PyObject *const fallback =
      equals == std::string_view::npos ? nullptr : defaultValue(trimmed(text.substr(equals + 3)));
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  parameters_.push_back({interned, fallback});
}

bool Signature::sort(PyObject *const *arguments, Py_ssize_t positional, PyObject *keywords,
                     PyObject **values) const {
  const auto given = std::min(static_cast<std::size_t>(positional), keywordFrom_);
  std::fill_n(values + given, parameters_.size() - given, nullptr);
  if (static_cast<std::size_t>(positional) > keywordFrom_ && !variadic_) {
    refuseCount(positional);
    return false;
  }
  std::copy_n(arguments, given, values);
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t at = 0; at < named; ++at) {
    if (!bindKeyword(PyTuple_GET_ITEM(keywords, at), arguments[positional + at], values)) {
      return false;
    }
  }
  for (std::size_t index = given; index < parameters_.size(); ++index) {
    if (values[index] == nullptr) {
      values[index] = parameters_[index].fallback;
    }
    if (values[index] == nullptr && parameters_[index].name != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%U'", shown_.c_str(),
                   parameters_[index].name);
      return false;
    }
  }
  if (!variadic_) return true;
  PyObject *const rest = PyTuple_New(positional - static_cast<Py_ssize_t>(given));
  if (rest == nullptr) return false;
  for (Py_ssize_t at = static_cast<Py_ssize_t>(given); at < positional; ++at) {
    PyTuple_SET_ITEM(rest, at - static_cast<Py_ssize_t>(given), Py_NewRef(arguments[at]));
  }
  values[keywordFrom_] = rest;
  return true;
}

bool Signature::bindKeyword(PyObject *name, PyObject *value, PyObject **values) const {
  std::size_t index = positionalOnly_;
  while (index < parameters_.size() && parameters_[index].name != name) {
    ++index;
  }
  if (index == parameters_.size()) {  // a name that is not interned
    index = positionalOnly_;
    while (index < parameters_.size() && (parameters_[index].name == nullptr ||
                                          PyUnicode_Compare(parameters_[index].name, name) != 0)) {
      ++index;
    }
  }
  if (index == parameters_.size() && takesNames_) {
    PyObject *&names = values[index - 1];
    if (names == nullptr) names = PyDict_New();
    return names != nullptr && PyDict_SetItem(names, name, value) == 0;
  }
  if (index == parameters_.size()) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", shown_.c_str(),
                 name);
    return false;
  }
  if (values[index] != nullptr) {
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", shown_.c_str(),
                 name);
    return false;
  }
  values[index] = value;
  return true;
}

void Signature::refuseCount(Py_ssize_t positional) const {
  PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional argument%s (%zd given)",
               shown_.c_str(), keywordFrom_, keywordFrom_ == 1 ? "" : "s", positional);
}

}  // namespace nexus::python
