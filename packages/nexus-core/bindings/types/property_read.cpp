// SPDX-License-Identifier: Apache-2.0
#include "types/property_read.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

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

}  // namespace nexus::python
