// SPDX-License-Identifier: Apache-2.0
//
// Sets of properties that are no objects of a backend, such as a device's info.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "json/json.hpp"
#include "object/object.hpp"
#include "object/property.hpp"

namespace nexus::core {

/// An object that has only properties, all held. Never changes.
class Properties : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_None;

  std::optional<json::Value> property(std::string_view name, nxs_property number) final;

  /// Returns the source of the value at a path, in the form of nexus_get_property_source. Throws as
  /// readProperty() does.
  json::Value source(const PropertyPath &path);

  /// Like source(), for a path whose first `first` steps led to this object and which has a value.
  /// With no step left: the source of the whole.
  virtual json::Value sourceAt(const PropertyPath &path, std::size_t first) = 0;

 protected:
  Properties() : Object(kType) {}
};

}  // namespace nexus::core
