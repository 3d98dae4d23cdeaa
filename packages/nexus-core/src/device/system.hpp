// SPDX-License-Identifier: Apache-2.0
//
// The backends, runtimes and devices of the system. "cuda:1" selects the second device of the
// backend cuda, "cpu" the first of cpu.
#pragma once

#include <string_view>

namespace nexus::core {

class Device;

/// Returns the device of a selector. An empty one selects the device of NEXUS_DEVICE, else the
/// first GPU that compiles the portable language or has demo kernels, else the CPU, else the first
/// device. Lives as long as the process. Throws NXS_InvalidValue (no selector) and
/// NXS_DeviceNotFound (no such device).
Device &selectDevice(std::string_view selector);

}  // namespace nexus::core
