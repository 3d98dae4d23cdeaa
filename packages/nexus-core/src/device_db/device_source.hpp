// SPDX-License-Identifier: Apache-2.0
//
// Where the values of a device's info come from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_merge.hpp"
#include "device_db/device_computed.hpp"
#include "device_db/device_file.hpp"
#include "json/json.hpp"

namespace nexus::core {

/// What the info of a device was put together from.
struct DeviceParts {
  json::Value driver{json::Value::Object{}};  // what the device says of itself
  std::shared_ptr<const DeviceFile> file;     // NULL: there is none
  std::string variant;                        // its Name; empty: none is laid over the file
  std::vector<ComputedValue> computed;        // of both
};

/// Where the value at a path of tree, which parts became, comes from: {"Kind": "driver",
/// "device file", "computed" or "mixed", "File": its path, "Citations": [sources without their
/// Values], "From": [paths]}. File is there where the file tells some of it, From for a computed
/// value. path is of tree and leads to a value.
///
/// A value's citations are the sources whose Values name its path, or the longest part of it that
/// any names; for a part of the tree, those of all values in it.
json::Value sourceOf(const DeviceParts &parts, const json::Value &tree, const TreePath &path);

}  // namespace nexus::core
