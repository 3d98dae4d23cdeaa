// SPDX-License-Identifier: Apache-2.0
//
// Finds devices by name.
#pragma once

#include <string_view>

#include "base/ref.hpp"
#include "device_db/device_properties.hpp"

namespace nexus::core {

/// Returns the properties in the file with that name: a stem; else an Architecture; else a Name or
/// alias, or that of a variant, which is then merged into the file; "<stem>/<variant>" names a
/// variant of that file. Without such a file, returns the own properties of the present device with
/// that name. Names are compared in the form of foldedName(), and with or without the vendor's name
/// before them.
///
/// Reads no other device file in folders with an index, and loads backends only if no file has the
/// name. Throws NXS_InvalidValue, with candidates, if none or several have the name.
Ref<DeviceProperties> lookUpDevice(std::string_view name);

}  // namespace nexus::core
