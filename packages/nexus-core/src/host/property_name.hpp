// SPDX-License-Identifier: Apache-2.0
//
// Names and numbers of properties: the catalogue's, and those that plug-ins intern.
#pragma once

#include <nexus-api/nxs.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus::core {

/// Returns the number of a name: the catalogue's, or one from NXS_PROPERTY_VENDOR_FIRST up that is
/// fixed for the process. Returns NXS_PROPERTY_INVALID for an empty name, one that is not UTF-8,
/// and after a million names.
nxs_property internProperty(std::string_view name);

/// Returns the number of a name, if it is in the catalogue or was interned.
std::optional<nxs_property> propertyNumber(std::string_view name);

/// Returns the name of a number; empty if it has none. The text lives as long as the process.
std::string_view propertyName(nxs_property number);

/// Returns the catalogue's type of a number, such as "str" or "int_vec"; empty for a vendor's own.
std::string_view propertyType(nxs_property number);

}  // namespace nexus::core
