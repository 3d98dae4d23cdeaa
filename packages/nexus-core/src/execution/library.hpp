// SPDX-License-Identifier: Apache-2.0
//
// A kernel library.
#pragma once

#include <mutex>
#include <string>

#include "device/device.hpp"
#include "object/native.hpp"
#include "object/object.hpp"

namespace nexus::core {

/// A plug-in's library. Its kernels need it only while they are looked up.
class Library final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Library;

  /// Takes over the plug-in's id. path is empty for a library that was loaded from memory.
  Library(Device &device, nxs_id id, std::string path);

  Device &device() const noexcept { return device_; }
  /// Returns the plug-in's library, kept alive for a call. Throws if another thread has closed the
  /// library.
  Ref<Native> native();

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return true; }
  void onClose() override;

  Device &device_;
  const nxs_id id_;
  const std::string path_;
  std::mutex mutex_;
  Ref<Native> native_;  // under mutex_; none after close
};

}  // namespace nexus::core
