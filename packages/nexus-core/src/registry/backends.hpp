// SPDX-License-Identifier: Apache-2.0
//
// The backends of this process: manifests that were added or found, and the results of loading
// them.
#pragma once

#include <nexus/nexus_c.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

/// The record of a backend. Constant once it was tried; never freed.
struct Backend {
  std::string name;
  std::string distribution;
  std::string manifest_path;
  std::string library;
  std::string version;
  std::string reason;  // one sentence; empty for PASS
  nexus_backend_state state = NEXUS_BACKEND_FAIL;
  bool tried = false;
  std::optional<Manifest> manifest;  // none if it could not be read
  const Plugin *plugin = nullptr;    // PASS only
};

/// The folder of device files that a backend's manifest names.
struct BackendFolder {
  std::string backend;
  std::filesystem::path path;
};

/// Loads each backend once, one after the other, and keeps their records.
///
/// NEXUS_BACKENDS, read when the first backend is needed, is a list of names with ',' in between:
/// only those are used, in that order. If two manifests have one name, the distribution
/// nexus-<name> is used, else the first one added; the other is not opened, even if the first
/// fails.
///
/// Used as ofProcess<Backends>(): the child of a fork() has a new list with the same manifests.
class Backends {
 public:
  Backends();

  /// Loads all backends and returns their records in order.
  std::vector<const Backend *> all();

  /// Loads the backends of that name and returns their records.
  std::vector<const Backend *> named(std::string_view name);

  /// Returns the names of the records without loading any.
  std::vector<std::string> names();

  /// Returns the folders of device files of all manifests, in the order of their records, without
  /// loading any.
  std::vector<BackendFolder> deviceFolders();

 private:
  class Loading;

  void takeNewEntries();
  void take(const Found &found);
  bool wanted(std::string_view name) const;
  void leaveOut(Backend &backend) const;
  void tryName(const std::string &name);
  Backend &holderOf(const std::string &name, const std::vector<Backend *> &claims);
  static void tryToLoad(Backend &backend);
  std::vector<const Backend *> inOrder();
  const Backend &missing(const std::string &name);

  const std::vector<std::string> wanted_names_;  // NEXUS_BACKENDS; empty: all
  std::mutex mutex_;                             // guards all below; held while a plug-in loads
  std::size_t entries_taken_ = 0;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<std::string, Backend *> holders_;                 // by names that were tried
  std::map<std::string, std::unique_ptr<Backend>> missing_;  // names without a manifest
};

/// Returns the plug-ins that passed, in the order of their records. Loads untried ones.
std::vector<const Plugin *> loadedPlugins();

/// Returns the plug-in of that name; loads no other one. Throws NXS_InvalidRuntime, with the
/// available names and the reason.
const Plugin &pluginOf(std::string_view name);

}  // namespace nexus::core
