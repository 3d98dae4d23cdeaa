// SPDX-License-Identifier: Apache-2.0
//
// The properties of one device: its own merged into its file's, and the values computed from both.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device_db/device_source.hpp"
#include "object/property.hpp"

namespace nexus::core {

class DeviceProperties final : public Properties {
 public:
  /// file: NULL without one. variant: the Name of the variant to merge into it; empty: none.
  /// driver: the device's own properties, an object.
  explicit DeviceProperties(std::shared_ptr<const DeviceFile> file, std::string variant = {},
                            json::Value driver = json::Value::Object{});

  const json::Value &tree() const noexcept { return tree_; }

  const json::Value *heldProperty(std::string_view name) override { return tree_.find(name); }
  std::vector<std::string> propertyKeys() override;
  json::Value sourceAt(const PropertyPath &path, std::size_t first) override;

 private:
  DeviceParts parts_;
  json::Value tree_;  // an object
};

}  // namespace nexus::core
