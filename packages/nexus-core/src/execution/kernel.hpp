// SPDX-License-Identifier: Apache-2.0
//
// A kernel and the description of its arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checks/launch.hpp"
#include "device/device.hpp"
#include "execution/library.hpp"
#include "object/object.hpp"

namespace nexus::core {

/// Reads the kernel's description once, when it is made.
class Kernel final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Kernel;

  Kernel(Library &library, std::string name);
  ~Kernel() override;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  const KernelInfo &info() const noexcept { return info_; }
  const std::string &name() const noexcept { return info_.name; }

  /// Writes how many groups of the kernel the device runs at the same time. Throws NXS_NotSupported
  /// if the backend does not know.
  void readOccupancy(const nexus_launch_desc &desc, nxs_occupancy &out) const;

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  void readArguments();
  ArgumentInfo readArgument(uint32_t index) const;
  Counts readRequired(nxs_property number) const;

  Device &device_;
  const Ref<Library> library_;
  KernelInfo info_;
  nxs_id id_ = 0;
};

}  // namespace nexus::core
