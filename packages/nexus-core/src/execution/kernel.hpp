// SPDX-License-Identifier: Apache-2.0
//
// A kernel and what it says of its arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "execution/launch.hpp"
#include "execution/library.hpp"
#include "object/object.hpp"

namespace nexus::core {

/// One argument, as the kernel describes it.
struct ArgumentInfo {
  std::string name;  // may be empty
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint64_t size = 0;  // bytes of a scalar
  std::string type;   // as the program has it; may be empty

  /// "argument 2, 'count'," at the begin of a sentence about it.
  std::string text(uint32_t index) const;
};

/// What a kernel says of itself is read once, when it is made.
class Kernel final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Kernel;

  Kernel(Library &library, std::string name);
  ~Kernel() override;

  Device &device() const noexcept { return device_; }
  nxs_id id() const noexcept { return id_; }
  const std::string &name() const noexcept { return name_; }
  /// Nothing where the kernel does not describe itself.
  const std::optional<std::vector<ArgumentInfo>> &arguments() const noexcept { return arguments_; }
  /// How many there are; nothing where the plug-in does not know, which may know it of a kernel
  /// that does not describe them.
  std::optional<uint32_t> argumentCount() const noexcept { return argument_count_; }
  /// The largest number of work items of a group; UINT64_MAX where nobody says.
  uint64_t maxGroupSize() const noexcept { return max_group_size_; }
  /// The only group size that it runs with; zeros where it runs with any.
  const Counts &requiredGroupSize() const noexcept { return required_group_size_; }
  /// The only cluster size that it runs with; zeros where it runs with any.
  const Counts &requiredClusterSize() const noexcept { return required_cluster_size_; }

  /// How many groups of it the device runs at the same time. Throws NXS_NotSupported where the
  /// backend does not tell.
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
  const std::string name_;
  nxs_id id_ = 0;
  std::optional<std::vector<ArgumentInfo>> arguments_;
  std::optional<uint32_t> argument_count_;
  uint64_t max_group_size_ = UINT64_MAX;
  Counts required_group_size_{}, required_cluster_size_{};
};

}  // namespace nexus::core
