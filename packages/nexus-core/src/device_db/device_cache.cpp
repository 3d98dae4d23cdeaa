// SPDX-License-Identifier: Apache-2.0
#include "device_db/device_cache.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/log.hpp"

namespace nexus::core {
namespace {

// then all are dropped, since folders were probably removed
constexpr std::size_t kMaxKeptFiles = 4096;

ReadDeviceFile readFile(const FileState &state) {
  const std::optional<std::string> text = readText(state, kMaxDeviceFile);
  if (text && text->size() <= kMaxDeviceFile) {
    return parseDeviceFile(state.path, *text);
  }
  std::string reason = "it has more than " + std::to_string(kMaxDeviceFile) + " bytes.";
  if (!text) reason = state.present ? "it can't be read." : "it is not a readable file.";
  return {nullptr, {state.path, 0, 0, std::move(reason)}};
}

bool isThere(const std::string &path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_directory(path, error);
}

}  // namespace

std::shared_ptr<const ReadDeviceFile> DeviceCache::read(const std::string &path,
                                                        const std::string &backend) {
  Entry entry;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = entries_.find(path); found != entries_.end()) entry = found->second;
  }
  if (entry.read != nullptr && isUnchanged(entry.state)) {
    return entry.read;
  }
  entry.state = stateOf(path);
  if (!entry.state.present && !isThere(path)) {
    return nullptr;
  }
  entry.read = std::make_shared<const ReadDeviceFile>(readFile(entry.state));
  const std::shared_ptr<const ReadDeviceFile> fresh = entry.read;
  {
    std::map<std::string, Entry> forgotten;  // destroyed outside the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() >= kMaxKeptFiles) {
      forgotten.swap(entries_);
      reported_.clear();
    }
    if (fresh->file != nullptr) reported_.erase(path);
    entries_[path] = std::move(entry);
  }
  if (fresh->file == nullptr) {
    report(fresh->problem, backend);
  }
  return fresh;
}

void DeviceCache::report(const DeviceFileProblem &problem, const std::string &backend) {
  const std::string text = problemText(problem);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(reported_[problem.file], text) == text) {
      return;
    }
  }
  // without the lock, since the log function may ask for devices
  logLine(NXS_LogLevel_Warning, backend, text);
}

}  // namespace nexus::core
