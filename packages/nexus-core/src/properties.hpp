// SPDX-License-Identifier: Apache-2.0
//
// A set of properties that was put together once, such as a device's info.
#pragma once

#include <string>
#include <vector>

#include "object.hpp"

namespace nexus::core {

/// An object whose properties are a JSON object. Never changes.
class Properties final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_None;

  explicit Properties(json::Value tree) : Object(kType), tree_(std::move(tree)) {}

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  const json::Value tree_;  // an object
};

}  // namespace nexus::core
