// SPDX-License-Identifier: Apache-2.0
//
// The backends of this process: what was named, what was found, and what became
// of each when it was loaded.
#pragma once

#include <nexus/nexus_c.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/manifest.hpp"
#include "registry/plugin.hpp"

namespace nexus::core {

/// The record of a backend. Changes until it was tried; then never, and it is never freed.
struct Backend {
  std::string name;
  std::string distribution;
  std::string manifest_path;
  std::string library;
  std::string version;
  std::string reason;  // one sentence; empty for PASS
  nexus_backend_state state = NEXUS_BACKEND_FAIL;
  bool tried = false;
  std::optional<Manifest> manifest;  // where one was read
  const Plugin *plugin = nullptr;    // PASS only
};

/// The folder of device files that a backend's manifest names.
struct BackendFolder {
  std::string backend;
  std::filesystem::path path;
};

/// Names a manifest for later. Waits for no loading. Once for each path.
void addManifest(std::string_view path, std::string_view distribution);

/// Adds the record of a backend that has no manifest.
void addFailure(std::string_view name, std::string_view distribution, std::string_view reason);

/// Adds what a program without Python can find.
void discover();

/// Whether discover() is called when backends are first needed.
void setDiscovery(bool enabled);

/// Loads backends once each, one after the other, and keeps their records.
///
/// NEXUS_BACKENDS, read when the first backend is needed, is a list of names with ','
/// between: the others are left out, and these come in that order. Where two
/// manifests have one name, that of the distribution nexus-<name> is taken, else the
/// first added; the other one is not opened, also where the first fails.
class Backends {
 public:
  /// A new list in the child of a fork(), with the same manifests.
  static Backends &ofThisProcess();

  /// Loads all, and gives the records in their order.
  std::vector<const Backend *> all();

  /// Loads those of that name, and gives their records.
  std::vector<const Backend *> named(std::string_view name);

  /// The names of the records; loads nothing.
  std::vector<std::string> names();

  /// Those, and our own, installed or not.
  std::vector<std::string> knownNames();

  /// The folders of device files of all manifests, in the order of their records; loads nothing.
  std::vector<BackendFolder> deviceFolders();

 private:
  class Loading;

  explicit Backends(uint64_t generation);

  void takeNewEntries();
  void takeManifest(const std::string &path, const std::string &distribution);
  void takeFailure(const std::string &name, const std::string &distribution,
                   const std::string &reason);
  Backend &addBackend();
  bool wanted(std::string_view name) const;
  void leaveOut(Backend &backend) const;
  void tryName(const std::string &name);
  Backend &holderOf(const std::string &name, const std::vector<Backend *> &claims);
  static void tryToLoad(Backend &backend);
  std::vector<const Backend *> inOrder();
  const Backend &missing(const std::string &name);

  const uint64_t generation_;
  const std::vector<std::string> wanted_names_;  // of NEXUS_BACKENDS; empty: all
  std::mutex mutex_;                             // for all below; held while a plug-in loads
  std::size_t entries_taken_ = 0;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<std::string, Backend *> holders_;                 // of the names that were tried
  std::map<std::string, std::unique_ptr<Backend>> missing_;  // names that nobody has
};

/// The plug-ins that passed, in the order of their records. Loads what was not tried yet.
std::vector<const Plugin *> loadedPlugins();

/// The plug-in of that name; loads no other one. Throws NXS_InvalidRuntime, with
/// the names that there are and why this one failed.
const Plugin &pluginOf(std::string_view name);

}  // namespace nexus::core
