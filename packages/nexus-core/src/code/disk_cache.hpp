// SPDX-License-Identifier: Apache-2.0
//
// Object code on disk, for all processes of the user: one file for each entry, in a folder that
// only this user can write. And the environment's settings of the caches of object code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "code/object_code.hpp"

namespace nexus::core {

struct CacheSettings {
  bool on = true;      // NEXUS_CACHE=0 turns off the caches in memory and on disk
  std::string folder;  // on disk; empty if no folder is known
  uint64_t limit = 0;  // bytes on disk (NEXUS_CACHE_SIZE)
};

/// Returns whether NEXUS_CACHE leaves the caches on. Reads the environment at each call, as do the
/// functions below.
bool cachesAreOn();

/// Invalid values are ignored, with a warning once.
CacheSettings cacheSettings();

/// Returns the environment and the configuration as one text, since compilers read many variables,
/// such as CC, PATH, CPATH and GCC_EXEC_PREFIX, and each backend's reads others.
std::string compilerEnvironment();

/// An open file or folder, closed by the destructor.
class FileHandle {
 public:
  explicit FileHandle(int number = -1) noexcept : number_(number) {}
  FileHandle(FileHandle &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileHandle();

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// An open folder, so that later changes to its path don't matter. Files are opened relative to it,
/// without following links. Failures are returned; only a lack of memory throws.
class CacheFolder {
 public:
  /// Opens the folder; with create, makes it with mode 0700 if it is missing. why() gives the
  /// reason if it can't be used: it is another user's, or others can write to it.
  CacheFolder(const std::string &path, bool create);

  explicit operator bool() const noexcept { return static_cast<bool>(folder_); }
  /// A sentence: why the folder is not used; empty if it is used or missing.
  const std::string &why() const noexcept { return why_; }
  int handle() const noexcept { return folder_.get(); }

  /// Returns the bytes of a file that belongs to this user and that nobody else can write to.
  std::optional<std::string> read(const std::string &name) const;
  /// Writes a file under a temporary name and renames it, so that nobody reads part of it.
  bool write(const std::string &name, std::string_view bytes) const;
  bool remove(const std::string &name) const;

 private:
  FileHandle folder_;
  std::string why_;
};

/// The lock of a key, for the process that makes its entry; empty if it could not be had.
class EntryLock {
 public:
  EntryLock() = default;
  EntryLock(FileHandle file, int64_t place) noexcept : file_(std::move(file)), place_(place) {}
  EntryLock(EntryLock &&) noexcept = default;
  EntryLock &operator=(EntryLock &&) = delete;
  /// Unlocks explicitly, since the child of a fork() may have the file open too.
  ~EntryLock();

 private:
  FileHandle file_;
  int64_t place_ = 0;
};

/// The folder at one moment; made for one use. Entries that can't be read or written are treated as
/// missing. Their names are the keys in hexadecimal.
class DiskCache {
 public:
  /// create: makes the folder if it is missing.
  DiskCache(const CacheSettings &settings, bool create);

  /// A sentence: why the cache is off; empty if it is on.
  const std::string &off() const noexcept { return off_; }

  /// Returns the entry of a key and marks it as used now. Removes a damaged entry.
  std::optional<CodeContents> read(const std::string &key) const;
  /// Writes an entry. If the total is then beyond the limit, removes the least recently used ones.
  void write(const std::string &key, const CodeContents &contents) const;

  /// Lets one process at a time make the entry of a key. Waits up to a minute for another one, and
  /// does not lock if the file system has no locks.
  EntryLock lock(const std::string &key) const;

  struct Use {
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Use use() const;
  /// Removes all entries; returns how many there were.
  uint64_t clear() const;

 private:
  void shrink() const;

  const CacheSettings settings_;
  CacheFolder folder_;
  std::string off_;
};

}  // namespace nexus::core
