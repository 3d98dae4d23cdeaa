// SPDX-License-Identifier: Apache-2.0
//
// What a program is compiled for: a device, and an architecture where it is not the device's own.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace nexus::core {

struct Target {
  Device *device = nullptr;  // whose backend compiles; lives as long as the process
  std::string architecture;  // in the backend's words; empty: the device's own
};

/// device NULL: text names the target, as nexus_compile says; else it is an architecture. Throws
/// NXS_InvalidValue (no target) and what selectDevice() throws.
Target targetOf(nexus_device *device, std::string_view text);

}  // namespace nexus::core
