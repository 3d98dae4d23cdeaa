// SPDX-License-Identifier: Apache-2.0
//
// Kernel libraries, and kernels with the description of their arguments.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "checks/launch.hpp"
#include "device/device.hpp"
#include "object/object.hpp"
#include "object/property.hpp"

namespace nexus::core {

/// A plug-in's library. Its kernels need it only while they are looked up.
class Library final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Library;

  using Code = std::shared_ptr<const std::string>;

  /// Takes over the plug-in's id. A library that was loaded from memory has code, others a path.
  Library(Device &device, nxs_id id, std::string path, Code code);

  Device &device() const noexcept { return device_; }
  /// Returns the plug-in's library, kept alive for a call. Throws if another thread has closed the
  /// library.
  Ref<Native> native();

  /// Returns the bytes that it was loaded from, even after close; reads the file again. Throws
  /// NXS_InvalidValue if the file can't be read.
  Code code() const;

  /// The description that a catalog gives of the library, an object; NULL without one.
  using Info = std::shared_ptr<const json::Value>;
  void setInfo(Info info);
  Info info() const;

  nxs_id nativeId() const noexcept override { return id_; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return true; }
  void onClose() override;
  // The caller keeps a reference to native while it reads.
  NativeProperties propertiesOf(const Native &native) const {
    return {device_.plugin(), &nxs_functions::GetLibraryProperty, native.id(), "library"};
  }

  Device &device_;
  const nxs_id id_;
  const std::string path_;
  const Code code_;
  mutable std::mutex mutex_;
  Ref<Native> native_;  // under mutex_; none after close
  Info info_;           // under mutex_
};

/// Reads the kernel's description once, when it is made.
class Kernel final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Kernel;

  Kernel(Library &library, std::string name);
  ~Kernel() override;

  Device &device() const noexcept { return device_; }
  const Library &library() const noexcept { return *library_; }
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
  NativeProperties properties() const {
    return {device_.plugin(), &nxs_functions::GetKernelProperty, id_, "kernel"};
  }
  void readArguments();
  ArgumentInfo readArgument(uint32_t index) const;
  Counts readRequired(nxs_property number) const;

  Device &device_;
  const Ref<Library> library_;
  KernelInfo info_;
  nxs_id id_ = 0;
};

}  // namespace nexus::core
