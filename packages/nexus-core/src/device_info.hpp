// SPDX-License-Identifier: Apache-2.0
//
// What is known of devices: of one that is here, and of all that have a device file.
#pragma once

#include "json.hpp"

namespace nexus::core {

class Device;

/// What a device says of itself laid over its device file. A device file that is not there is
/// fine; one that can't be read is logged as a warning.
json::Value deviceInfo(Device &device);

/// An object with a member for each device file, by its stem, and for each device here that has
/// none: what that says of itself. Loads the backends that were not tried yet.
json::Value deviceDatabase();

}  // namespace nexus::core
