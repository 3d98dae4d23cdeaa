// SPDX-License-Identifier: Apache-2.0
#include "base/file_state.hpp"

#include <time.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"

namespace nexus::core {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t nanoseconds(const struct timespec &time) {
  return static_cast<int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

// Returns whether later changes get another time: times have the granularity of the system's tick,
// 10 ms at most, or of full seconds on some file systems.
bool isSettled(int64_t changed) {
  struct timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t coarsest = changed % kSecond == 0 ? 2 * kSecond : kSecond / 50;
  return nanoseconds(now) - changed > coarsest;
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
    state.written = timeWritten(status);
#if defined(__APPLE__)
    state.changed = nanoseconds(status.st_ctimespec);
#else
    state.changed = nanoseconds(status.st_ctim);
#endif
    state.settled = isSettled(state.changed);
  }
  return state;
}

int64_t timeWritten(const struct stat &status) {
#if defined(__APPLE__)
  return nanoseconds(status.st_mtimespec);
#else
  return nanoseconds(status.st_mtim);
#endif
}

bool isUnchanged(const FileState &state) {
  const FileState now = stateOf(state.path);
  return state.settled && now.present == state.present && now.device == state.device &&
         now.number == state.number && now.size == state.size && now.written == state.written &&
         now.changed == state.changed;
}

void refuseEndlessFile(const std::string &path, const char *wanted) {
  std::error_code ignored;  // if it is missing, opening it reports that
  const auto kind = std::filesystem::status(path, ignored).type();
  using Kind = std::filesystem::file_type;
  if (kind == Kind::fifo || kind == Kind::socket || kind == Kind::character ||
      kind == Kind::block) {
    failWith(NXS_InvalidBinary, "path is '", path,
             "', which is a pipe, a socket or a device; give the path of ", wanted, ".");
  }
}

std::optional<std::string> readText(const FileState &state, uint64_t most) {
  if (!state.present) return std::nullopt;
  std::ifstream file(state.path, std::ios::binary);
  std::string text;
  char part[16384];
  while (text.size() <= most && (file.read(part, sizeof(part)), file.gcount() > 0)) {
    text.append(part, static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) return std::nullopt;
  return text;
}

}  // namespace nexus::core
