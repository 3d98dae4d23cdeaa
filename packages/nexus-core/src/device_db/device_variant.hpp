// SPDX-License-Identifier: Apache-2.0
//
// Finds the product of a device within its architecture.
#pragma once

#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

/// Returns the Name of the variant in a device file's tree that matches a device's Name; empty:
/// none, or several match equally.
///
/// A variant matches by its Name, an alias or one of its DeviceNames, in the form for comparisons
/// and without the vendor's name: if that is the device's name, or occurs in it as whole words
/// without a word after it that names another product ("Ti" does, "96-Core Processor" does not).
/// The longest match counts.
std::string variantOf(const json::Value &tree, std::string_view device_name);

}  // namespace nexus::core
