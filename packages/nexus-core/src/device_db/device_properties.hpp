// SPDX-License-Identifier: Apache-2.0
//
// The properties of one device: its own merged into its file's, and the values computed from both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device_db/device_source.hpp"
#include "object/properties.hpp"

namespace nexus::core {

class DeviceProperties final : public Properties {
 public:
  /// parts has no computed values yet; this adds them.
  explicit DeviceProperties(DeviceParts parts);

  const json::Value &tree() const noexcept { return tree_; }

  const json::Value *heldProperty(std::string_view name) override { return tree_.find(name); }
  std::vector<std::string> propertyKeys() override;
  json::Value sourceAt(const PropertyPath &path, std::size_t first) override;

 private:
  json::Value tree_;  // an object
  DeviceParts parts_;
};

}  // namespace nexus::core
