// SPDX-License-Identifier: Apache-2.0
#include "code/cache_folder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace nexus::core {
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
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
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
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
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
    absent_ = errno == ENOENT && !create;
    if (!absent_) {
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
  if (!isAllowedSize(bytes.size())) {
    return false;
  }
  const std::string temporary = temporaryName();
  bool whole = false;
  {
    const FileHandle file(openat(handle(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR));
    if (!file) {
      return false;
    }
    whole = writeAll(file.get(), bytes);
  }
  if (whole && renameat(handle(), temporary.c_str(), handle(), name.c_str()) == 0) {
    return true;
  }
  remove(temporary);
  return false;
}

bool CacheFolder::remove(const std::string &name) const {
  return unlinkat(handle(), name.c_str(), 0) == 0;
}

}  // namespace nexus::core
