// SPDX-License-Identifier: Apache-2.0
//
// Sets of properties that were put together, such as a device's info.
#pragma once

#include <cstddef>

#include "json/json.hpp"
#include "object/object.hpp"
#include "object/property.hpp"

namespace nexus::core {

/// An object that is nothing but its properties. Never changes.
class Properties : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_None;

  /// Where the value at a path comes from, as nexus_get_property_source tells it. Throws as
  /// readProperty.
  json::Value source(const PropertyPath &path);

  /// The same of a path whose first steps, first of them, led to this object, and which leads to a
  /// value; no step is left for the whole.
  virtual json::Value sourceAt(const PropertyPath &path, std::size_t first) = 0;

 protected:
  Properties() : Object(kType) {}
};

}  // namespace nexus::core
