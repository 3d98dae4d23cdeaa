// SPDX-License-Identifier: Apache-2.0
//
// Device files: documented facts about a kind of device, in <vendor>-<type>-<architecture>.json.
// The part of the name before ".json" is the stem.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

/// The stem of a file in a folder of device files that lists their names, so that they need not be
/// read to find a name: {"<stem>": {"Name", "Aliases", "Variants": [{"Name", "Aliases"}]}}.
inline constexpr std::string_view kIndexStem = "index";

inline constexpr uint64_t kMaxDeviceFile = uint64_t{4} << 20;

/// The reason why a file or folder is left out.
struct DeviceFileProblem {
  std::string file;     // its path
  uint64_t line = 0;    // from 1; 0: unknown
  uint64_t column = 0;  // in bytes, from 1; 0: unknown
  std::string reason;   // a sentence that begins with "it"
};

/// Returns "The device file 'x.json', line 3, column 7, is left out: it ...".
std::string problemText(const DeviceFileProblem &problem);

/// A device file, read and checked. Constant, and shared.
struct DeviceFile {
  std::string stem;
  std::string path;
  json::Value tree;  // an object
};

/// The result of reading a file: the file, or NULL and the problem.
struct ReadDeviceFile {
  std::shared_ptr<const DeviceFile> file;
  DeviceFileProblem problem;
};

/// Checks the text of a file. It must be a JSON object; unless it is an index, its Vendor, Type and
/// Architecture must make the stem of its name, and its Variants and Sources have the form of the
/// schema. `nexus db validate` checks the rest.
ReadDeviceFile parseDeviceFile(const std::string &path, std::string_view text);

}  // namespace nexus::core
