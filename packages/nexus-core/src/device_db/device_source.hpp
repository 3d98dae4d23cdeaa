// SPDX-License-Identifier: Apache-2.0
//
// Sources of the values in a device's info.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_merge.hpp"
#include "device_db/device_computed.hpp"
#include "device_db/device_file.hpp"
#include "json/json.hpp"

namespace nexus::core {

struct DeviceParts {
  json::Value driver;                      // the device's own properties, an object
  std::shared_ptr<const DeviceFile> file;  // NULL: none
  std::string variant;                     // Name of the variant merged into the file; empty: none
  std::vector<ComputedValue> computed;     // from both
};

/// Returns the source of the value at a path of tree, which was made of parts: {"Kind": "driver",
/// "device file", "computed" or "mixed", "File": its path, "Citations": [sources without their
/// Values], "From": [paths]}. File is present if the file has some of the value, From for a
/// computed value. The path must have a value.
///
/// The citations of a value are the sources whose Values name its path, or the longest prefix of it
/// that any names; those of a part of the tree are the citations of all its values. For a value of
/// the variant, sources that name the path within the variant come first.
json::Value sourceOf(const DeviceParts &parts, const json::Value &tree, const TreePath &path);

}  // namespace nexus::core
