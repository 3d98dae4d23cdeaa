// SPDX-License-Identifier: Apache-2.0
//
// A runtime: a loaded backend as an object, and its devices.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/lock.hpp"
#include "object/object.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

class Device;

/// Made once for each loaded plug-in and never freed, like the plug-in itself, so its devices and
/// their objects need no reference to it.
class Runtime final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Runtime;

  explicit Runtime(const Plugin &plugin);

  const Plugin &plugin() const noexcept { return plugin_; }
  uint64_t deviceCount() const noexcept { return device_count_; }
  /// Returns the same object each time. Throws NXS_InvalidDevice.
  Device &device(uint64_t index);
  /// Returns the devices that device() has returned so far.
  std::vector<Device *> madeDevices();

  nxs_id nativeId() const noexcept override { return plugin_.runtime; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  const Plugin &plugin_;
  uint64_t device_count_;
  std::mutex mutex_;
  std::vector<Device *> devices_;  // under mutex_; NULL until requested
};

/// Returns the runtime of a plug-in, the same each time. It lives as long as the process, so no
/// reference is added.
nexus_runtime *runtimeOf(const Plugin &plugin);

/// Returns the runtimes of this process so far: the backends whose devices were requested.
std::vector<Runtime *> madeRuntimes();

}  // namespace nexus::core
