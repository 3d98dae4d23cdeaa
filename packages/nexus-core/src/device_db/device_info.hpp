// SPDX-License-Identifier: Apache-2.0
//
// Properties of the present devices, with those of their device files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "device_db/device_file.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

class Device;

/// Returns the device's own properties merged into its device file with its variant. A missing
/// device file is no problem; an unusable one is logged as a warning.
Ref<DeviceProperties> deviceInfo(Device &device);

/// Returns a file's properties, with the variant of that Name merged into them; empty: none.
Ref<DeviceProperties> fileInfo(std::shared_ptr<const DeviceFile> file, std::string variant);

struct DeviceHere {
  std::string stem;
  Device *device;  // lives as long as the process
};

/// Returns the present devices with a stem. Loads untried backends.
std::vector<DeviceHere> devicesHere();

}  // namespace nexus::core
