// SPDX-License-Identifier: Apache-2.0
#include "file_state.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

namespace nexus::core {
namespace {

int64_t changeTime(const struct stat &status) {
#if defined(__APPLE__)
  const struct timespec &time = status.st_mtimespec;
#else
  const struct timespec &time = status.st_mtim;
#endif
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileState stateOf(const std::string &path) {
  FileState state;
  state.path = path;
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    state.present = true;
    state.device = static_cast<uint64_t>(status.st_dev);
    state.number = static_cast<uint64_t>(status.st_ino);
    state.size = static_cast<uint64_t>(status.st_size);
    state.changed = changeTime(status);
  }
  return state;
}

std::optional<std::string> readText(const FileState &state) {
  if (!state.present) {
    return std::nullopt;
  }
  std::ifstream file(state.path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    return std::nullopt;
  }
  return text;
}

}  // namespace nexus::core
