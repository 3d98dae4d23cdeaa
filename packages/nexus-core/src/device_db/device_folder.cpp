// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_folder.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include "base/process.hpp"
#include "base/text.hpp"
#include "device_db/device_cache.hpp"
#include "device_db/device_name.hpp"
#include "registry/backends.hpp"
#include "registry/manifest.hpp"

namespace nexus::core {
namespace {

namespace fs = std::filesystem;

constexpr const char *kUsersFolders = "NEXUS_DEVICE_PATH";

std::string pathOf(const std::string &folder, std::string_view stem) {
  return (fs::path(folder) / (std::string(stem) + ".json")).string();
}

std::shared_ptr<const ReadDeviceFile> read(const DevicePlace &place) {
  return ofProcess<DeviceCache>().read(place.path, place.backend);
}

bool isFolder(const fs::path &path) {
  std::error_code error;
  fs::directory_iterator entry(path, error);  // checks that it can be read, too
  return !error;
}

void addUsersFolders(std::vector<DevicePlace> &folders, std::vector<DeviceFileProblem> *problems) {
  const char *value = std::getenv(kUsersFolders);
  for (const std::string &word : splitWords(value == nullptr ? "" : value, ':')) {
    std::error_code error;
    const std::string path = fs::absolute(word, error).string();
    if (isFolder(path)) {
      folders.push_back({path, {}});
      continue;
    }
    const DeviceFileProblem problem{
        path, 0, 0, std::string(kUsersFolders) + " names it, but it is not a readable folder."};
    ofProcess<DeviceCache>().report(problem, {});
    if (problems != nullptr) problems->push_back(problem);
  }
}

// Returns whether a stem is a file name, and no path to another folder.
bool isPlainStem(std::string_view stem) {
  return !stem.empty() && stem.size() <= 200 && stem != kIndexStem && stem.front() != '.' &&
         stem == fileWord(stem);
}

}  // namespace

std::vector<DevicePlace> deviceFolders(std::vector<DeviceFileProblem> *problems) {
  std::vector<DevicePlace> folders;
  addUsersFolders(folders, problems);
  for (const BackendFolder &folder : ofProcess<Backends>().deviceFolders()) {
    folders.push_back({folder.path.string(), folder.backend});
  }
  if (const fs::path own = ownDeviceFolder(); !own.empty()) {
    folders.push_back({own.string(), {}});
  }
  if (problems != nullptr) {
    for (const auto &[path, backend] : folders) {
      firstDeviceFile({{pathOf(path, kIndexStem), backend}}, problems);
    }
  }
  return folders;
}

DeviceListing listDeviceFiles(const std::vector<DevicePlace> &folders) {
  DeviceListing listing;
  for (const DevicePlace &folder : folders) {
    std::error_code error;
    for (fs::directory_iterator entry(folder.path, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path &path = entry->path();
      if (path.extension() == ".json" && path.stem() != kIndexStem) {
        listing[path.stem().string()].push_back({path.string(), folder.backend});
      }
    }
  }
  return listing;
}

std::shared_ptr<const DeviceFile> firstDeviceFile(const std::vector<DevicePlace> &places,
                                                  std::vector<DeviceFileProblem> *problems) {
  for (const DevicePlace &place : places) {
    const std::shared_ptr<const ReadDeviceFile> found = read(place);
    if (found != nullptr && found->file != nullptr) {
      return found->file;
    }
    if (found != nullptr && problems != nullptr) problems->push_back(found->problem);
  }
  return nullptr;
}

std::shared_ptr<const DeviceFile> deviceFileOf(std::string_view stem) {
  if (!isPlainStem(stem)) {
    return nullptr;
  }
  std::vector<DevicePlace> places = deviceFolders();
  for (DevicePlace &place : places) place.path = pathOf(place.path, stem);
  return firstDeviceFile(places);
}

std::vector<DeviceNames> deviceNames(const DeviceListing &listing) {
  struct Index {
    std::shared_ptr<const DeviceFile> file;
    std::unordered_map<std::string_view, const json::Value *> entries;
  };
  std::map<std::string, Index> indexes;  // by folder
  std::vector<DeviceNames> names;
  for (const auto &[stem, places] : listing) {
    const auto &[path, backend] = places.front();
    const std::string folder = path.substr(0, path.size() - stem.size() - strlen(".json"));
    const auto [found, fresh] = indexes.try_emplace(folder);
    Index &index = found->second;
    if (fresh) index.file = firstDeviceFile({{pathOf(folder, kIndexStem), backend}});
    if (fresh && index.file != nullptr) {
      for (const json::Member &entry : *index.file->tree.object()) {
        index.entries.emplace(entry.name, &entry.value);
      }
    }
    if (const auto entry = index.entries.find(stem); entry != index.entries.end()) {
      names.push_back({stem, {index.file, entry->second}});
    } else if (const auto file = firstDeviceFile(places)) {
      names.push_back({stem, {file, &file->tree}});
    }
  }
  return names;
}

}  // namespace nexus::core
