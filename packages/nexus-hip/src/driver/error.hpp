// SPDX-License-Identifier: Apache-2.0
// Statuses and texts for HIP's errors.
#ifndef NEXUS_HIP_ERROR_HPP_
#define NEXUS_HIP_ERROR_HPP_

#include "driver/hip_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/driver/driver_errors.hpp>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;

// For calls that concern a device use Device::check() instead, which keeps fatal errors.
extern const nexus_plugin::DriverErrors errors;

}  // namespace nexus_hip

#endif  // NEXUS_HIP_ERROR_HPP_
