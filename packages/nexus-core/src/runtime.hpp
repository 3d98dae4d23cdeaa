// SPDX-License-Identifier: Apache-2.0
//
// A runtime: a loaded backend as an object, and its devices.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lock.hpp"
#include "object.hpp"
#include "plugin.hpp"

namespace nexus::core {

class Device;
class Queue;

/// Made once for each loaded plug-in and never freed, like the plug-in itself, so
/// that devices and all that hangs on them need not count it.
class Runtime final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Runtime;

  explicit Runtime(const Plugin &plugin);

  const Plugin &plugin() const noexcept { return plugin_; }
  uint64_t deviceCount() const noexcept { return device_count_; }
  /// The same object each time. Throws NXS_InvalidDevice.
  Device &device(uint64_t index);
  /// The queues of all devices that were asked for.
  std::vector<Ref<Queue>> queues();

  nxs_id nativeId() const noexcept override { return plugin_.runtime; }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  const Plugin &plugin_;
  uint64_t device_count_;
  std::mutex mutex_;
  std::vector<Device *> devices_;  // under mutex_; NULL where not asked for yet
};

/// Those of this process that were made so far: the backends whose devices were asked for.
std::vector<Runtime *> madeRuntimes();

}  // namespace nexus::core
