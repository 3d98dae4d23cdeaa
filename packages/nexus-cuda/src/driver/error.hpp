// SPDX-License-Identifier: Apache-2.0
// Statuses and texts for the driver's errors.
#ifndef NEXUS_CUDA_ERROR_HPP_
#define NEXUS_CUDA_ERROR_HPP_

#include "driver/cuda_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/driver/driver_errors.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;

// Device::check() checks calls that concern a device, and keeps fatal errors.
extern const nexus_plugin::DriverErrors errors;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_ERROR_HPP_
