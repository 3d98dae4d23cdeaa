// SPDX-License-Identifier: Apache-2.0
#include "types/property_read.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "python/errors.hpp"
#include "types/constant_properties.hpp"

namespace nexus::python {
namespace {

const ConstantProperty *findConstant(PyObject *key) noexcept {
  const auto *const end = std::end(kConstantProperties);
  if (PyLong_Check(key) != 0) {
    const long long number = PyLong_AsLongLong(key);
    PyErr_Clear();  // too large for a property
    return std::find_if(std::begin(kConstantProperties), end,
                        [&](const ConstantProperty &each) { return each.number == number; });
  }
  return std::find_if(std::begin(kConstantProperties), end, [&](const ConstantProperty &each) {
    return PyUnicode_CompareWithASCIIString(key, each.name) == 0;
  });
}

}  // namespace

bool isConstant(PyObject *key, nxs_object_type object, nxs_value_type value) noexcept {
  const ConstantProperty *const found = findConstant(key);
  const bool isTree = object == NXS_ObjectType_None;
  return found != std::end(kConstantProperties) && found->type == value &&
         (isTree || (found->objects >> static_cast<unsigned>(object) & 1U) != 0);
}

const char *docOfRead(const std::string &name, const std::string &type) {
  return keep(
      name + "(self, key: PropertyKey) -> " + type + "\n\nReads a property as " + type +
      ". Raises PropertyNotFoundError if the object does not have it, or not as that type.");
}

PropertyPath::PropertyPath(py::handle key) : owner_(py::reinterpret_borrow<py::object>(key)) {
  if (!py::isinstance<py::list>(key) && !py::isinstance<py::tuple>(key)) {
    add(key);
    return;
  }
  // A copy, so that no other thread changes the list while its texts are borrowed.
  const auto path = owned<py::tuple>(PySequence_Tuple(key.ptr()));
  if (path.empty()) {
    throwValueError("key", key, "a path needs at least one name");
  }
  keys_.reserve(path.size());
  for (const py::handle step : path) {
    add(step);
  }
  owner_ = path;
}

void PropertyPath::add(py::handle step) {
  if (PyUnicode_Check(step.ptr())) {
    Py_ssize_t size = 0;
    const char *const text = PyUnicode_AsUTF8AndSize(step.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      throwValueError("key", step, "it has a lone surrogate, which no property name has");
    }
    keys_.emplace_back(std::string_view(text, static_cast<std::size_t>(size)));
    return;
  }
  if (!PyLong_Check(step.ptr()) || PyBool_Check(step.ptr())) {
    throwTypeError("key", "a str, a member of nexus.property, or a list of them", step);
  }
  const long long number = PyLong_AsLongLong(step.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throwValueError("key", step, "no property has such a number");
  }
  keys_.emplace_back(number);
}

py::object readAnyProperty(const Object &object, py::handle key) {
  const PropertyPath path(key);
  std::vector<nexus_key> raw;
  for (const Key &step : path.keys()) {
    raw.push_back(step.raw());
  }
  const detail::PropertyBytes value([&](nxs_value *out) {
    return withoutGil([&] {
      return nexus_get_property(object.get(), raw.data(), raw.size(), NXS_ValueType_None, out);
    });
  });
  switch (value.type()) {
    case NXS_ValueType_Int:
      return py::cast(value.number<std::int64_t>());
    case NXS_ValueType_Flt:
      return py::cast(value.number<double>());
    case NXS_ValueType_Str:
      return py::str(value.text());
    case NXS_ValueType_IntVec:
      return py::cast(value.numbers<std::int64_t>());
    case NXS_ValueType_FltVec:
      return py::cast(value.numbers<double>());
    case NXS_ValueType_StrVec:
      return py::cast(value.texts());
    case NXS_ValueType_Json:
      return py::module_::import("json").attr("loads")(value.text());
    default:
      return py::none();
  }
}

}  // namespace nexus::python
