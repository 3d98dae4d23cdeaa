// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_RUNTIME_HPP_
#define NEXUS_RUNTIME_HPP_

#include <nexus/device.hpp>
#include <nexus/object.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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
    return detail::result<std::uint64_t>(nexus_runtime_device_count, get());
  }

  /// Throws NXS_InvalidDevice if there is no such index.
  Device getDevice(std::uint64_t index) const {
    return detail::result<Device>(nexus_runtime_get_device, get(), index);
  }

  std::vector<Device> getDevices() const {
    return detail::listOf(getDeviceCount(),
                          [this](std::uint64_t index) { return getDevice(index); });
  }
};

/// The available runtimes, in the order of NEXUS_BACKENDS. Made by System::getRuntimes.
class Runtimes {
 public:
  Runtimes() = default;
  explicit Runtimes(std::vector<Runtime> runtimes) noexcept : runtimes_(std::move(runtimes)) {}

  std::size_t size() const noexcept { return runtimes_.size(); }
  bool empty() const noexcept { return runtimes_.empty(); }
  auto begin() const noexcept { return runtimes_.begin(); }
  auto end() const noexcept { return runtimes_.end(); }

  /// Throws NXS_InvalidRuntime if there is no such index.
  const Runtime &get(std::size_t index) const {
    if (index >= runtimes_.size()) {
      throw Error(NXS_InvalidRuntime, "There is no runtime " + std::to_string(index) +
                                          ": the number of runtimes is " +
                                          std::to_string(runtimes_.size()) + ".");
    }
    return runtimes_[index];
  }
  const Runtime &operator[](std::size_t index) const { return get(index); }

 private:
  std::vector<Runtime> runtimes_;
};

inline Runtime Device::getRuntime() const {
  return detail::result<Runtime>(nexus_device_get_runtime, get());
}

}  // namespace nexus

#endif  // NEXUS_RUNTIME_HPP_
