// SPDX-License-Identifier: Apache-2.0
//
// What is known of the devices that are here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "device_db/device_file.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

class Device;

/// The stem of the file that a device has where there is one: "amd-cpu-znver4". Empty where the
/// device does not tell its vendor, type or architecture.
std::string stemOf(Device &device);

/// What a device says of itself laid over its device file with its variant. A device file that is
/// not there is fine; one that can't be used is logged as a warning.
Ref<DeviceProperties> deviceInfo(Device &device);

/// The device's file with its variant, without what the device says. Throws NXS_InvalidValue, with
/// the stem that was looked for, where there is none.
Ref<DeviceProperties> deviceFileInfo(Device &device);

/// What a file tells, with the variant of that Name laid over it; empty: none.
Ref<DeviceProperties> fileInfo(std::shared_ptr<const DeviceFile> file, std::string variant);

/// A device that is here.
struct DeviceHere {
  std::string stem;
  Device *device;  // lives as long as the process
};

/// The devices here that tell their stem. Loads the backends that were not tried yet.
std::vector<DeviceHere> devicesHere();

}  // namespace nexus::core
