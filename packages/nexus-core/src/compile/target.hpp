// SPDX-License-Identifier: Apache-2.0
//
// The target of a compilation: a device, and an architecture if it is not the device's own.
#pragma once

#include <nexus/nexus_c.h>

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace nexus::core {

struct Target {
  Device *device = nullptr;  // of the backend that compiles; lives as long as the process
  std::string architecture;  // in the backend's words; empty: the device's own
};

/// Without a device, text names the target as for nexus_compile; else it is an architecture. Throws
/// NXS_InvalidValue (no target), and as selectDevice() does.
Target targetOf(nexus_device *device, std::string_view text);

}  // namespace nexus::core
