// SPDX-License-Identifier: Apache-2.0
//
// Device files: what is known of a kind of device, from documents, in
// <vendor>-<type>-<architecture>.json. The part of the name before ".json" is the stem.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "json/json.hpp"

namespace nexus::core {

/// A file beside the device files of a folder that tells their names, so that they need not be
/// read for them.
inline constexpr std::string_view kIndexStem = "index";

/// The largest device file, in bytes.
inline constexpr uint64_t kMaxDeviceFile = uint64_t{4} << 20;

/// Why a file or folder is left out.
struct DeviceFileProblem {
  std::string file;     // its path
  uint64_t line = 0;    // from 1; 0 where there is none
  uint64_t column = 0;  // in bytes, from 1; 0 where there is none
  std::string reason;   // a sentence that begins with "it"
};

/// A device file, read and checked. Never changes, and is shared.
struct DeviceFile {
  std::string stem;
  std::string path;
  json::Value tree;  // an object
};

/// What became of a file: the file, or NULL and the problem.
struct ReadDeviceFile {
  std::shared_ptr<const DeviceFile> file;
  DeviceFileProblem problem;
};

/// Checks the text of a file. It has to be a JSON object whose Vendor, Type and Architecture make
/// the stem of its name, and its Variants and Sources lists as the schema has them; an index has
/// to be an object of objects. More is the business of those who write device files.
ReadDeviceFile parseDeviceFile(const std::string &path, std::string_view text);

}  // namespace nexus::core
