// SPDX-License-Identifier: Apache-2.0
//
// The sources of a device file, by the paths in their Values.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/device_merge.hpp"
#include "device_db/device_file.hpp"
#include "json/json.hpp"

namespace nexus::core {

/// Borrows the file.
class Citations {
 public:
  /// file: NULL for a device without a file.
  explicit Citations(const DeviceFile *file);

  /// Adds to cited the indices, in the file's Sources, of the sources that name the path; if none
  /// does, of those that name the longest prefix of it. For a value of the variant of that Name,
  /// sources that name the path within the variant come first.
  void add(const TreePath &path, std::string_view variant, std::set<std::size_t> &cited) const;

  /// Returns the sources with those indices, without their Values.
  json::Value inFull(const std::set<std::size_t> &cited) const;

 private:
  bool addLongest(std::string_view path, std::set<std::size_t> &cited) const;
  // Adds the sources of all values at or below path.
  void addBelow(const std::string &path, std::set<std::size_t> &cited) const;

  const DeviceFile *file_;
  const json::Value::Array *sources_ = nullptr;
  std::unordered_map<std::string_view, std::vector<std::size_t>> claims_;  // indices by path
};

}  // namespace nexus::core
