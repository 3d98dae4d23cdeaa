// SPDX-License-Identifier: Apache-2.0
#include "code/disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern "C" char **environ;
#endif

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/file_state.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"

namespace nexus::core {

namespace {

constexpr uint64_t kDefaultLimit = uint64_t{512} << 20;

// Warns once per process of a value.
void warnOnce(const char *name, std::string_view value, const char *remedy) {
  const std::string text =
      std::string(name) + " is '" + std::string(value) + "' and is ignored; " + remedy;
  {
    const std::lock_guard<std::mutex> lock(tableMutex());
    static std::set<std::string> &told = *new std::set<std::string>;
    if (!told.insert(text).second) return;
  }
  logLine(NXS_LogLevel_Warning, "", text);
}

std::string homeFolder() {
  if (const std::string_view home = environmentValue("HOME"); home.starts_with('/')) {
    return std::string(home);
  }
  std::vector<char> memory(16384);
  struct passwd entry{};
  struct passwd *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, memory.data(), memory.size(), &found) == 0 &&
      found != nullptr && found->pw_dir != nullptr && *found->pw_dir == '/') {
    return found->pw_dir;
  }
  return {};
}

// Returns the platform's folder for caches; empty without a home folder.
std::string platformFolder() {
  const std::string home = homeFolder();
#if defined(__APPLE__)
  return home.empty() ? home : home + "/Library/Caches/nexus";
#else
  if (const std::string_view caches = environmentValue("XDG_CACHE_HOME"); caches.starts_with('/')) {
    return std::string(caches) + "/nexus";
  }
  return home.empty() ? home : home + "/.cache/nexus";
#endif
}

std::string folderSetting() {
  const std::string_view given = environmentValue("NEXUS_CACHE_DIR");
  if (given.empty()) return platformFolder();
  if (!given.starts_with('/')) {
    warnOnce("NEXUS_CACHE_DIR", given, "give an absolute path.");
    return platformFolder();
  }
  return std::string(given);
}

uint64_t limitSetting() {
  const std::string_view given = environmentValue("NEXUS_CACHE_SIZE");
  if (given.empty()) return kDefaultLimit;
  const std::optional<uint64_t> bytes = wholeNumber(given);
  if (!bytes) {
    warnOnce("NEXUS_CACHE_SIZE", given, "give a number of bytes, such as 536870912.");
    return kDefaultLimit;
  }
  return *bytes;
}

char **environment() {
#if defined(__APPLE__)
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

}  // namespace

bool cachesAreOn() {
  const std::string_view given = environmentValue("NEXUS_CACHE");
  if (!given.empty() && given != "0" && given != "1") {
    warnOnce("NEXUS_CACHE", given, "give 0 to turn the caches off, or 1.");
  }
  return given != "0";
}

CacheSettings cacheSettings() {
  return {cachesAreOn(), folderSetting(), limitSetting()};
}

std::string compilerEnvironment() {
  std::string text = std::to_string(configVersion()) + '\n';
  for (char **entry = environment(); entry != nullptr && *entry != nullptr; ++entry) {
    text.append(*entry).push_back('\0');
  }
  return text;
}

namespace {

constexpr uint64_t kMaxEntrySize = uint64_t{1} << 30;

std::string systemWords() {
  return std::generic_category().message(errno);
}

bool makeFolders(const std::string &path) {
  std::error_code ignored;  // mkdir() below reports the error
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST;
}

bool isOwn(const struct stat &status) {
  return status.st_uid == geteuid();
}

bool othersCanWrite(const struct stat &status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// Returns a name that no other write uses, in any process.
std::string temporaryName() {
  static std::atomic<uint64_t> number{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return ".new-" + std::to_string(getpid()) + "-" + std::to_string(now) + "-" +
         std::to_string(number.fetch_add(1));
}

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A write beyond the process' file size limit would raise a signal that ends it.
bool isAllowedSize(std::size_t size) {
  struct rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur;
}

bool readAll(int file, std::string &bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

FileHandle::~FileHandle() {
  if (number_ >= 0) {
    close(number_);
  }
}

CacheFolder::CacheFolder(const std::string &path, bool create) {
  if (path.empty()) {
    why_ = "There is no home folder; name a folder by NEXUS_CACHE_DIR.";
    return;
  }
  const std::string what = "The folder '" + path + "' ";
  constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  FileHandle folder(open(path.c_str(), kOpenFolder));
  if (!folder && errno == ENOENT && create) {
    if (!makeFolders(path)) {
      why_ = what + "can't be made (" + systemWords() + "); name another by NEXUS_CACHE_DIR.";
      return;
    }
    folder = FileHandle(open(path.c_str(), kOpenFolder));
  }
  struct stat status{};
  if (!folder || fstat(folder.get(), &status) != 0) {
    if (errno != ENOENT || create) {
      why_ = what + "can't be opened (" + systemWords() + "); name another by NEXUS_CACHE_DIR.";
    }
    return;
  }
  if (!isOwn(status)) {
    why_ = what + "belongs to another user; name one of your own by NEXUS_CACHE_DIR.";
  } else if (othersCanWrite(status)) {
    why_ = what + "can be written to by others; type: chmod go-w '" + path + "'";
  } else {
    folder_ = std::move(folder);
  }
}

std::optional<std::string> CacheFolder::read(const std::string &name) const {
  const FileHandle file(
      openat(handle(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !isOwn(status) ||
      othersCanWrite(status) || static_cast<uint64_t>(status.st_size) > kMaxEntrySize) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  return readAll(file.get(), bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

bool CacheFolder::write(const std::string &name, std::string_view bytes) const {
  if (!isAllowedSize(bytes.size())) return false;
  const std::string temporary = temporaryName();
  bool whole = false;
  {
    const FileHandle file(openat(handle(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
    if (!file) return false;
    whole = writeAll(file.get(), bytes);
  }
  if (whole && renameat(handle(), temporary.c_str(), handle(), name.c_str()) == 0) return true;
  remove(temporary);
  return false;
}

bool CacheFolder::remove(const std::string &name) const {
  return unlinkat(handle(), name.c_str(), 0) == 0;
}

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
      files.push_back({entry->d_name, static_cast<uint64_t>(status.st_size), timeWritten(status)});
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
  if (!folder_) return std::nullopt;
  const std::optional<std::string> bytes = folder_.read(entryFileOf(key));
  if (!bytes) return std::nullopt;
  try {
    const std::string_view whole = *bytes;
    if (!whole.starts_with(key)) {
      failWith(NXS_InvalidBinary, "It belongs to another program.");
    }
    CodeContents contents = readObjectCode(whole.substr(key.size()));
    utimensat(folder_.handle(), entryFileOf(key).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    return contents;
  } catch (const Failure &failure) {
    logLine(NXS_LogLevel_Info, "",
            join("The entry ", entryFileOf(key), " of the disk cache is unusable and was removed. ",
                 failure.text()));
    folder_.remove(entryFileOf(key));
    return std::nullopt;
  }
}

void DiskCache::write(const std::string &key, const CodeContents &contents) const {
  const std::string bytes = folder_ ? key + writeObjectCode(contents) : std::string();
  if (bytes.empty() || bytes.size() > settings_.limit) return;
  if (!folder_.write(entryFileOf(key), bytes)) {
    logLine(NXS_LogLevel_Info, "",
            join("The folder '", settings_.folder, "' of the disk cache can't store an entry."));
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
  if (total <= settings_.limit) return;
  std::sort(files.begin(), files.end(),
            [](const DiskEntry &left, const DiskEntry &right) { return left.used < right.used; });
  for (const DiskEntry &file : files) {
    if (total <= settings_.limit) return;
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
  if (!folder_) return {};
  FileHandle file(openat(folder_.handle(), kLockFile, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                         S_IRUSR | S_IWUSR));
  const int64_t place = placeOf(key);
  const auto end = std::chrono::steady_clock::now() + kLongestLock;
  while (file && !setLock(file, F_WRLCK, place)) {
    if ((errno != EAGAIN && errno != EACCES) || std::chrono::steady_clock::now() > end) return {};
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
