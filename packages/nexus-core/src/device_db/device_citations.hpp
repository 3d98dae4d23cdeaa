// SPDX-License-Identifier: Apache-2.0
//
// The sources of a device file, by the paths that their Values name.
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
  /// file: NULL where there is none, which has no sources.
  explicit Citations(const DeviceFile *file);

  /// Adds to cited the places, in the file's Sources, of those that name the value at a path; all
  /// of those that name the longest part of it. Of a value that the variant of that Name has, those
  /// that name it there, where there are some.
  void add(const TreePath &path, std::string_view variant, std::set<std::size_t> &cited) const;

  /// The sources at those places, without their Values.
  json::Value inFull(const std::set<std::size_t> &cited) const;

 private:
  bool addLongest(std::string_view path, std::set<std::size_t> &cited) const;
  // The sources of all values at or below path.
  void addBelow(const std::string &path, std::set<std::size_t> &cited) const;

  const DeviceFile *file_;
  const json::Value::Array *sources_ = nullptr;
  std::unordered_map<std::string_view, std::vector<std::size_t>> claims_;  // places by path
};

}  // namespace nexus::core
