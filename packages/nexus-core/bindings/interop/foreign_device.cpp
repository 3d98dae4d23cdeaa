// SPDX-License-Identifier: Apache-2.0
#include "interop/foreign.hpp"

#include <unordered_map>

#include "python/shared_state.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

std::optional<dlpack::Device> readName(const Object &object) {
  const auto name = findProperty<std::vector<std::int64_t>>(object, NP_DLPackDevice);
  if (!name || name->size() != 2) {
    return std::nullopt;
  }
  return dlpack::Device{static_cast<std::int32_t>((*name)[0]),
                        static_cast<std::int32_t>((*name)[1])};
}

bool isHostVisible(const nexus::Device &device) {
  const auto capabilities =
      static_cast<std::uint64_t>(device.getRuntime().getProperty<std::int64_t>("Capabilities"));
  return (capabilities & NXS_Capability_HostVisibleMemory) != 0;
}

// Returns whether a device can use memory there. Host memory is usable by all devices of its kind.
bool uses(dlpack::Device device, dlpack::Device place) {
  return dlpack::familyOf(device.type) == dlpack::familyOf(place.type) &&
         (dlpack::isHost(place) || device.id == place.id);
}

std::vector<nexus::Device> allDevices() {
  std::vector<nexus::Device> devices;
  for (const py::handle device : py::module_::import("nexus").attr("get_devices")()) {
    devices.push_back(valueOf<nexus::Device>(device.ptr()));
  }
  return devices;
}

}  // namespace

std::optional<dlpack::Device> dlpackNameOf(const nexus::Device &device) {
  // Devices live as long as the process.
  static auto &names = *new std::unordered_map<const nexus_object *, std::optional<dlpack::Device>>;
  static StateMutex mutex;
  {
    const StateLock lock(mutex);
    const auto known = names.find(device.get());
    if (known != names.end()) return known->second;
  }
  const auto name = readName(device);  // releases the GIL
  const StateLock lock(mutex);
  return names.emplace(device.get(), name).first->second;
}

std::optional<dlpack::Device> dlpackPlaceOf(const BufferObject &buffer) {
  constexpr dlpack::Device host{dlpack::Cpu, 0};
  const nexus::Device device = buffer.getDevice();
  if (!device) {
    return host;
  }
  const auto name = dlpackNameOf(device);
  if (!name) {
    return isHostVisible(device) ? std::optional(host) : std::nullopt;
  }
  const auto own = readName(buffer);
  return own ? own : name;
}

nexus::Device deviceFor(dlpack::Device place, const nexus::Device &wanted,
                        const std::string &parameter) {
  const std::string lies = parameter + " lies in the memory of " + dlpack::describe(place);
  if (wanted) {
    const auto name = dlpackNameOf(wanted);
    if (name && uses(*name, place)) {
      return wanted;
    }
    throw py::buffer_error(lies + ", and device is '" + wanted.getSelector() + "'" +
                           (name ? ", which is " + dlpack::describe(*name) : "") +
                           ": leave device out, or copy it there with Device.create_buffer(x).");
  }
  for (const nexus::Device &device : allDevices()) {
    const auto name = dlpackNameOf(device);
    if (name && uses(*name, place)) {
      return device;
    }
  }
  throw py::buffer_error(lies + ", and no backend has that device: copy it to host memory first.");
}

std::vector<nexus::Device> devicesOfType(dlpack::DeviceType type) {
  std::vector<nexus::Device> found;
  for (const nexus::Device &device : allDevices()) {
    const auto name = dlpackNameOf(device);
    if (name && name->type == type) {
      found.push_back(device);
    }
  }
  return found;
}

}  // namespace nexus::python
