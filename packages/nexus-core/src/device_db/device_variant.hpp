// SPDX-License-Identifier: Apache-2.0
//
// Which product of an architecture a device is.
#pragma once

#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

/// The Name of the variant in a device file's tree that a device of that Name is; empty: none, or
/// several fit as well.
///
/// A variant fits by its Name, an alias or one of its DeviceNames, compared as names are and
/// without the vendor's name: where that is the device's name, or stands in it as whole words with
/// nothing behind that names another product ("96-Core Processor" does not, "Ti" does). The longest
/// counts.
std::string variantOf(const json::Value &tree, std::string_view device_name);

}  // namespace nexus::core
