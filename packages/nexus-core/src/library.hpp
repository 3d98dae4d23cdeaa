// SPDX-License-Identifier: Apache-2.0
//
// A kernel library.
#pragma once

#include <string>

#include "device.hpp"
#include "object.hpp"

namespace nexus::core {

/// A plug-in's library. Its kernels need it only while they are looked up.
class Library final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Library;

  /// Takes over the plug-in's id. path is empty for a library that came as bytes.
  Library(Device &device, nxs_id id, std::string path)
      : ListedObject(kType), device_(device), id_(id), path_(std::move(path)) {}
  ~Library() override;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return true; }
  void onClose() override;

  Device &device_;
  const nxs_id id_;
  const std::string path_;
};

}  // namespace nexus::core
