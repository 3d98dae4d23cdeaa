// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "device_db/device_cache.hpp"
#include "registry/backends.hpp"
#include "registry/discovery.hpp"

namespace nexus::core {
namespace {

namespace fs = std::filesystem;

constexpr const char *kUsersFolders = "NEXUS_DEVICE_PATH";

bool isFolder(const fs::path &path) {
  std::error_code error;
  fs::directory_iterator entry(path, error);  // checks that it can be read, too
  return !error;
}

void addUsersFolders(std::vector<DeviceFolder> &folders, std::vector<DeviceFileProblem> *problems) {
  const char *value = std::getenv(kUsersFolders);
  for (const std::string &word : splitWords(value == nullptr ? "" : value, ':')) {
    std::error_code error;
    const std::string path = fs::absolute(word, error).string();
    if (isFolder(path)) {
      folders.push_back({path, {}});
      continue;
    }
    DeviceFileProblem problem;
    problem.file = path;
    problem.reason =
        std::string("it is named by ") + kUsersFolders + ", and is no folder that can be read.";
    DeviceCache::ofThisProcess().report(problem, {});
    if (problems != nullptr) {
      problems->push_back(std::move(problem));
    }
  }
}

void addFilesOf(const DeviceFolder &folder, DeviceListing &listing) {
  std::error_code error;
  for (fs::directory_iterator entry(folder.path, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path &path = entry->path();
    if (path.extension() != ".json" || path.stem() == kIndexStem) {
      continue;
    }
    std::vector<DeviceFilePlace> &places = listing[path.stem().string()];
    places.push_back({path.string(), folder.backend, folder.path});
  }
}

// Returns whether a stem is a file name, and no path to another folder.
bool isPlainStem(std::string_view stem) {
  return !stem.empty() && stem.size() <= 200 && stem != kIndexStem && stem.front() != '.' &&
         std::all_of(stem.begin(), stem.end(), [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                  std::string_view("._+-").find(letter) != std::string_view::npos;
         });
}

}  // namespace

std::vector<DeviceFolder> deviceFolders(std::vector<DeviceFileProblem> *problems) {
  std::vector<DeviceFolder> folders;
  addUsersFolders(folders, problems);
  for (const BackendFolder &folder : Backends::ofThisProcess().deviceFolders()) {
    folders.push_back({folder.path.string(), folder.backend});
  }
  if (const fs::path own = ownDeviceFolder(); !own.empty()) {
    folders.push_back({own.string(), {}});
  }
  return folders;
}

DeviceListing listDeviceFiles(const std::vector<DeviceFolder> &folders) {
  DeviceListing listing;
  for (const DeviceFolder &folder : folders) {
    addFilesOf(folder, listing);
  }
  return listing;
}

std::shared_ptr<const DeviceFile> firstDeviceFile(const std::vector<DeviceFilePlace> &places,
                                                  std::vector<DeviceFileProblem> *problems) {
  for (const DeviceFilePlace &place : places) {
    const auto read = DeviceCache::ofThisProcess().read(place.path, place.backend);
    if (read != nullptr && read->file != nullptr) {
      return read->file;
    }
    if (read != nullptr && problems != nullptr) {
      problems->push_back(read->problem);
    }
  }
  return nullptr;
}

std::shared_ptr<const DeviceFile> deviceFileOf(std::string_view stem) {
  if (!isPlainStem(stem)) {
    return nullptr;
  }
  std::vector<DeviceFilePlace> places;
  for (const DeviceFolder &folder : deviceFolders()) {
    const fs::path path = fs::path(folder.path) / (std::string(stem) + ".json");
    places.push_back({path.string(), folder.backend, folder.path});
  }
  return firstDeviceFile(places);
}

}  // namespace nexus::core
