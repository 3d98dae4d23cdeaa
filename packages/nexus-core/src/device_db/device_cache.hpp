// SPDX-License-Identifier: Apache-2.0
//
// The device files that this process has read.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/file_state.hpp"
#include "device_db/device_file.hpp"

namespace nexus::core {

/// Keeps each parsed file as long as it is unchanged on disk. Any thread may use it, through
/// ofProcess<DeviceCache>().
class DeviceCache {
 public:
  /// Returns the present file of that path, or the problem by which it is left out; NULL if there
  /// is no file. A problem is logged once, for backend.
  std::shared_ptr<const ReadDeviceFile> read(const std::string &path, const std::string &backend);

  /// Logs a problem, once for each text.
  void report(const DeviceFileProblem &problem, const std::string &backend);

 private:
  struct Entry {
    FileState state;
    std::shared_ptr<const ReadDeviceFile> read;
  };

  std::mutex mutex_;  // guards the maps only
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::string> reported_;  // the text last logged, by path
};

}  // namespace nexus::core
