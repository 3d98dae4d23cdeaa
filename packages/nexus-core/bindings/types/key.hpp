// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "python/gil.hpp"

namespace nexus::python {

/// The key of a property from Python: a str, an int or member of nexus.property, or a list or tuple
/// of them. TypeError for others.
class PropertyPath {
 public:
  explicit PropertyPath(py::handle key);

  const std::vector<Key> &keys() const noexcept { return keys_; }

 private:
  void add(py::handle step);

  std::vector<Key> keys_;
  py::object owner_;  // owns the texts that the keys borrow
};

/// Returns a property in its own type: str, int, float, a list of them, or for structured ones a
/// dict or a list of dicts.
py::object readAnyProperty(const Object &object, py::handle key);

template <class Value, class Class>
Value readProperty(const Class &object, py::handle key) {
  const PropertyPath path(key);
  return withoutGil([&] { return object.template getProperty<Value>(path.keys()); });
}

}  // namespace nexus::python
