// SPDX-License-Identifier: Apache-2.0
#include "code/disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/log.hpp"

namespace nexus::core {
namespace {

constexpr std::string_view kEntrySuffix = ".nxc";
constexpr std::string_view kUnfinishedPrefix = ".new-";
constexpr const char *kLockFile = ".lock";
constexpr std::size_t kKeySize = 64;      // hexadecimal digits
constexpr int64_t kUnfinishedAge = 3600;  // seconds: older files are left over from a crash
constexpr auto kLongestLock = std::chrono::seconds(60);

struct DiskEntry {
  std::string name;
  uint64_t size = 0;
  int64_t used = 0;  // nanoseconds
};

int64_t useTime(const struct stat &status) {
#if defined(__APPLE__)
  const struct timespec &time = status.st_mtimespec;
#else
  const struct timespec &time = status.st_mtim;
#endif
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool isEntryName(std::string_view name) {
  return name.size() == kKeySize + kEntrySuffix.size() && name.ends_with(kEntrySuffix) &&
         name.find_first_not_of("0123456789abcdef") == kKeySize;
}

std::string entryFileOf(const std::string &key) {
  return key + std::string(kEntrySuffix);
}

// Returns the regular files of a folder whose names are wanted.
template <class IsWanted>
std::vector<DiskEntry> filesIn(const CacheFolder &folder, IsWanted &&is_wanted) {
  std::vector<DiskEntry> files;
  const int handle = openat(folder.handle(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = handle < 0 ? nullptr : fdopendir(handle);
  if (listing == nullptr) {
    if (handle >= 0) close(handle);
    return files;
  }
  const std::unique_ptr<DIR, int (*)(DIR *)> closing(listing, closedir);
  while (const dirent *entry = readdir(listing)) {
    struct stat status{};
    if (is_wanted(std::string_view(entry->d_name)) &&
        fstatat(folder.handle(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode)) {
      files.push_back({entry->d_name, static_cast<uint64_t>(status.st_size), useTime(status)});
    }
  }
  return files;
}

#if defined(F_OFD_SETLK)
constexpr int kSetLock = F_OFD_SETLK;  // of the open file, not of the process
#else
constexpr int kSetLock = F_SETLK;
#endif

// Each key locks one byte of the lock file, so that the file never grows.
int64_t placeOf(const std::string &key) {
  int64_t place = 0;
  std::from_chars(key.data(), key.data() + 15, place, 16);
  return place;
}

// type: F_WRLCK or F_UNLCK. Does not wait.
bool setLock(const FileHandle &file, short type, int64_t place) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(place);
  range.l_len = 1;
  return fcntl(file.get(), kSetLock, &range) == 0;
}

}  // namespace

DiskCache::DiskCache(const CacheSettings &settings, bool create)
    : settings_(settings), folder_(settings.folder, create && settings.on && settings.limit > 0) {
  if (!settings.on) {
    off_ = "NEXUS_CACHE is 0.";
  } else if (settings.limit == 0) {
    off_ = "NEXUS_CACHE_SIZE is 0.";
  } else {
    off_ = folder_.why();
  }
}

std::optional<CodeContents> DiskCache::read(const std::string &key) const {
  if (!folder_) {
    return std::nullopt;
  }
  const std::optional<std::string> bytes = folder_.read(entryFileOf(key));
  if (!bytes) {
    return std::nullopt;
  }
  try {
    const std::string_view whole = *bytes;
    if (!whole.starts_with(key)) {
      throw Failure(NXS_InvalidBinary, "It is another program's.");
    }
    CodeContents contents = readObjectCode(whole.substr(key.size()));
    utimensat(folder_.handle(), entryFileOf(key).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    return contents;
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Info, "",
            "The entry " + entryFileOf(key) + " of the cache on disk is not used and removed. " +
                failure.text());
    folder_.remove(entryFileOf(key));
    return std::nullopt;
  }
}

void DiskCache::write(const std::string &key, const CodeContents &contents) const {
  const std::string bytes = folder_ ? key + writeObjectCode(contents) : std::string();
  if (bytes.empty() || bytes.size() > settings_.limit) {
    return;
  }
  if (!folder_.write(entryFileOf(key), bytes)) {
    logLine(NXS_LogLevel_Info, "",
            "The folder '" + settings_.folder + "' of the cache on disk takes no entry.");
    return;
  }
  shrink();
}

void DiskCache::shrink() const {
  const auto isOurs = [](std::string_view name) {
    return isEntryName(name) || name.starts_with(kUnfinishedPrefix);
  };
  std::vector<DiskEntry> files = filesIn(folder_, isOurs);
  const int64_t oldest_unfinished =
      (static_cast<int64_t>(time(nullptr)) - kUnfinishedAge) * 1'000'000'000;
  uint64_t total = 0;
  for (const DiskEntry &file : files) {
    if (isEntryName(file.name)) {
      total += file.size;
    } else if (file.used < oldest_unfinished) {
      folder_.remove(file.name);
    }
  }
  if (total <= settings_.limit) {
    return;
  }
  std::sort(files.begin(), files.end(),
            [](const DiskEntry &left, const DiskEntry &right) { return left.used < right.used; });
  for (const DiskEntry &file : files) {
    if (total <= settings_.limit) {
      return;
    }
    if (isEntryName(file.name)) {
      folder_.remove(file.name);  // another process may have been first
      total -= file.size;
    }
  }
}

EntryLock::~EntryLock() {
  if (file_) {
    setLock(file_, F_UNLCK, place_);
  }
}

EntryLock DiskCache::lock(const std::string &key) const {
  if (!folder_) {
    return {};
  }
  FileHandle file(openat(folder_.handle(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                         S_IRUSR | S_IWUSR));
  const int64_t place = placeOf(key);
  const auto end = std::chrono::steady_clock::now() + kLongestLock;
  while (file && !setLock(file, F_WRLCK, place)) {
    if ((errno != EAGAIN && errno != EACCES) || std::chrono::steady_clock::now() > end) {
      return {};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    checkInterrupt();
  }
  return {std::move(file), place};
}

DiskCache::Use DiskCache::use() const {
  Use use;
  if (folder_) {
    for (const DiskEntry &file : filesIn(folder_, isEntryName)) {
      ++use.entries;
      use.bytes += file.size;
    }
  }
  return use;
}

uint64_t DiskCache::clear() const {
  uint64_t removed = 0;
  if (folder_) {
    for (const DiskEntry &file : filesIn(folder_, isEntryName)) {
      removed += folder_.remove(file.name) ? 1 : 0;
    }
  }
  return removed;
}

}  // namespace nexus::core
