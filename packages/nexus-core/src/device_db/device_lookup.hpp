// SPDX-License-Identifier: Apache-2.0
//
// Which device a name is of.
#pragma once

#include <string_view>

#include "base/ref.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

/// What the file tells that a name is of: its stem; else its Architecture; else its Name, an alias,
/// or those of a variant, which is then laid over the file; "<stem>/<variant>" names a variant of
/// that file. Else what the device here says of itself that has no file and is called so. Names are
/// compared as foldedName has them, and with or without the vendor's name before them.
///
/// Reads no other device file in folders that have an index, and loads backends only where no file
/// has the name. Throws NXS_InvalidValue where none or several are called so, naming candidates.
Ref<DeviceProperties> lookUpDevice(std::string_view name);

}  // namespace nexus::core
