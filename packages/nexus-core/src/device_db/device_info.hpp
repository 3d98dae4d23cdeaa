// SPDX-License-Identifier: Apache-2.0
//
// Properties of the present devices, with those of their device files.
#pragma once

#include <string>
#include <vector>

#include "base/ref.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

class Device;

/// Returns the device's own properties merged into its device file with its variant. A missing
/// device file is not an error; an unusable one is logged as a warning.
Ref<DeviceProperties> deviceInfo(Device &device);

struct DeviceHere {
  std::string stem;
  Device *device;  // lives as long as the process
};

/// Returns the present devices with a stem. Loads untried backends.
std::vector<DeviceHere> devicesHere();

}  // namespace nexus::core
