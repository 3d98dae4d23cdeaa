// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_RUNTIME_HPP_
#define NEXUS_RUNTIME_HPP_

#include <nexus/device.hpp>
#include <nexus/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nexus {

/// A loaded backend that has a device. Made by System.
class Runtime : public Object {
 public:
  Runtime() noexcept = default;
  /// Takes over the caller's reference.
  explicit Runtime(nexus_runtime *object) noexcept : Object(object) {}

  /// "cpu", "cuda", ...
  std::string getName() const { return getProperty<std::string>(NP_Name); }

  std::uint64_t getDeviceCount() const {
    std::uint64_t count = 0;
    detail::check(nexus_runtime_device_count(get(), &count));
    return count;
  }

  /// Throws NXS_InvalidDevice if there is no such index.
  Device getDevice(std::uint64_t index) const {
    nexus_device *device = nullptr;
    detail::check(nexus_runtime_get_device(get(), index, &device));
    return Device(device);
  }

  std::vector<Device> getDevices() const {
    std::vector<Device> devices;
    const std::uint64_t count = getDeviceCount();
    devices.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t index = 0; index < count; ++index) {
      devices.push_back(getDevice(index));
    }
    return devices;
  }
};

inline Runtime Device::getRuntime() const {
  nexus_runtime *runtime = nullptr;
  detail::check(nexus_device_get_runtime(get(), &runtime));
  return Runtime(runtime);
}

}  // namespace nexus

#endif  // NEXUS_RUNTIME_HPP_
