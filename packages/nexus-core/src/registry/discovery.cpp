// SPDX-License-Identifier: Apache-2.0
#include "registry/discovery.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "base/text.hpp"
#include "registry/manifest.hpp"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace nexus::core {
namespace {

namespace fs = std::filesystem;

// Treats a folder that can't be read as empty, since the user may not have named it.
std::vector<fs::path> sortedFolders(const fs::path &parent) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      folders.push_back(entry->path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool isFile(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<Found> findInPlace(const fs::path &place) {
  std::error_code error;
  if (isFile(place)) {
    return {{place, {}, {}, {}}};
  }
  if (isFile(place / kManifestName)) {
    return {{place / kManifestName, {}, {}, {}}};
  }
  std::vector<Found> found;
  for (const fs::path &folder : sortedFolders(place)) {
    if (isFile(folder / kManifestName)) {
      found.push_back({folder / kManifestName, {}, {}, {}});
    }
  }
  if (found.empty()) {
    const bool is_folder = fs::is_directory(place, error);
    found.push_back(
        {{},
         {},
         place.filename().empty() ? place.parent_path().filename().string()
                                  : place.filename().string(),
         "NEXUS_PLUGIN_PATH names '" + place.string() + "', " +
             (is_folder ? std::string("which holds no ") + kManifestName + ", nor do its folders."
                        : "which does not exist or can't be read.")});
  }
  return found;
}

// Returns the path of the library with this code; empty if the system does not tell.
fs::path ownPath() {
#if defined(_WIN32)
  return {};
#else
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&ownPath), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code error;
  const fs::path path = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : path;
#endif
}

// Returns <site>/nexus if libnexus is in <site>/nexus/lib, else empty.
fs::path ownPackage() {
  const fs::path folder = ownPath().parent_path();
  const fs::path package = folder.parent_path();
  return folder.filename() == "lib" && package.filename() == "nexus" ? package : fs::path();
}

}  // namespace

std::vector<Found> findInPluginPath(std::string_view plugin_path) {
  std::vector<Found> all;
  for (const std::string &place : splitWords(plugin_path, ':')) {
    for (Found &found : findInPlace(place)) {
      all.push_back(std::move(found));
    }
  }
  return all;
}

fs::path ownDeviceFolder() {
  const fs::path package = ownPackage();
  return package.empty() ? package : package / "devices";
}

std::vector<Found> findBesideLibrary() {
  const fs::path package = ownPackage();
  if (package.empty()) {
    return {};
  }
  std::vector<Found> all;
  for (const fs::path &neighbour : sortedFolders(package.parent_path())) {
    const std::string name = neighbour.filename().string();
    if (name.rfind("nexus_", 0) == 0 && isFile(neighbour / kManifestName)) {
      all.push_back({neighbour / kManifestName, normalizedDistribution(name), {}, {}});
    }
  }
  return all;
}

std::string normalizedDistribution(std::string_view name) {
  std::string normal;
  for (const char letter : name) {
    if (letter != '-' && letter != '_' && letter != '.') {
      normal += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (normal.empty() || normal.back() != '-') {
      normal += '-';
    }
  }
  return normal;
}

}  // namespace nexus::core
