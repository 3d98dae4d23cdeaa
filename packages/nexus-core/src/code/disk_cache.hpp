// SPDX-License-Identifier: Apache-2.0
//
// Object code on disk, for all processes of the user: one file for each entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "code/cache_folder.hpp"
#include "code/cache_settings.hpp"
#include "code/object_code.hpp"

namespace nexus::core {

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
