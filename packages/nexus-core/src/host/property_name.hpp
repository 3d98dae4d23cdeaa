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

/// The number of a name: the catalogue's, or one from NXS_PROPERTY_VENDOR_FIRST up
/// that stays the same in the process. NXS_PROPERTY_INVALID for an empty name, one
/// that is not UTF-8, or more than a million of them.
nxs_property internProperty(std::string_view name);

/// The number of a name that is in the catalogue or was interned.
std::optional<nxs_property> propertyNumber(std::string_view name);

/// The name of a number; empty where it has none. The text lives as long as the process.
std::string_view propertyName(nxs_property number);

/// The catalogue's type of a number, such as "str" or "int_vec"; empty where it is a vendor's own.
std::string_view propertyType(nxs_property number);

/// All names, the catalogue's first.
std::vector<std::string> propertyNames();

}  // namespace nexus::core
