// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_cache.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace nexus::core {
namespace {

// then all are dropped, since folders were probably removed
constexpr std::size_t kMaxKeptFiles = 4096;

ReadDeviceFile withProblem(const std::string &path, std::string reason) {
  ReadDeviceFile read;
  read.problem.file = path;
  read.problem.reason = std::move(reason);
  return read;
}

ReadDeviceFile readFile(const FileState &state) {
  if (!state.present) {
    return withProblem(state.path, "it is no file that can be read.");
  }
  const auto tooLarge = [&](uint64_t size) {
    return withProblem(state.path, "it has " + std::to_string(size) + " bytes, and the most is " +
                                       std::to_string(kMaxDeviceFile) + ".");
  };
  if (state.size > kMaxDeviceFile) {
    return tooLarge(state.size);
  }
  const std::optional<std::string> text = readText(state, kMaxDeviceFile);
  if (!text) {
    return withProblem(state.path, "it can't be read.");
  }
  return text->size() > kMaxDeviceFile ? tooLarge(text->size())
                                       : parseDeviceFile(state.path, *text);
}

bool isThere(const std::string &path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_directory(path, error);
}

}  // namespace

DeviceCache &DeviceCache::ofThisProcess() {
  return ofProcess<DeviceCache>();
}

std::shared_ptr<const ReadDeviceFile> DeviceCache::read(const std::string &path,
                                                        const std::string &backend) {
  if (const std::shared_ptr<const Entry> known = entryOf(path);
      known != nullptr && isUnchanged(known->state)) {
    return known->read;
  }
  FileState state = stateOf(path);
  if (!state.present && !isThere(path)) {
    return nullptr;
  }
  auto fresh = std::make_shared<const ReadDeviceFile>(readFile(state));
  if (state.present) {
    keep(path, {std::move(state), fresh});
  }
  if (fresh->file == nullptr) {
    report(fresh->problem, backend);
  }
  return fresh;
}

std::shared_ptr<const DeviceCache::Entry> DeviceCache::entryOf(const std::string &path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : found->second;
}

void DeviceCache::keep(const std::string &path, Entry entry) {
  auto kept = std::make_shared<const Entry>(std::move(entry));
  std::map<std::string, std::shared_ptr<const Entry>> forgotten;  // destroyed outside the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.size() >= kMaxKeptFiles) {
    forgotten.swap(entries_);
    reported_.clear();
  }
  if (kept->read->file != nullptr) {
    reported_.erase(path);
  }
  entries_[path] = std::move(kept);
}

void DeviceCache::report(const DeviceFileProblem &problem, const std::string &backend) {
  const std::string text = problemText(problem);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string &reported = reported_[problem.file];
    if (reported == text) {
      return;
    }
    reported = text;
  }
  // without the lock, since the log function may ask for devices
  logLine(NXS_LogLevel_Warning, backend, text);
}

std::string problemText(const DeviceFileProblem &problem) {
  const bool folder = std::filesystem::path(problem.file).extension() != ".json";
  std::string text =
      std::string(folder ? "The folder '" : "The device file '") + asUtf8(problem.file) + "'";
  if (problem.line != 0) {
    text += ", line " + std::to_string(problem.line) + ", column " +
            std::to_string(problem.column) + ",";
  }
  return text + " is left out: " + problem.reason;
}

}  // namespace nexus::core
