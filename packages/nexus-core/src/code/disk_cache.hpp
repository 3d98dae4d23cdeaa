// SPDX-License-Identifier: Apache-2.0
//
// Object code on disk, for all processes of the user: one file an entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "code/cache_folder.hpp"
#include "code/cache_settings.hpp"
#include "code/object_code.hpp"

namespace nexus::core {

/// The right to make the entry of a key; ends with it. Empty where there was none to have.
class EntryLock {
 public:
  EntryLock() = default;
  EntryLock(FileHandle file, int64_t place) noexcept : file_(std::move(file)), place_(place) {}
  EntryLock(EntryLock &&) noexcept = default;
  EntryLock &operator=(EntryLock &&) = delete;
  /// Not by closing the file alone: the child of a fork() has it open too.
  ~EntryLock();

 private:
  FileHandle file_;
  int64_t place_ = 0;
};

/// The folder as it is now; made for one use. What can't be read or written is as if it were not
/// there. Entries are named by their keys, in hexadecimal.
class DiskCache {
 public:
  /// create: makes the folder where there is none.
  DiskCache(const CacheSettings &settings, bool create);

  /// A sentence: why nothing is kept; empty where it is.
  const std::string &off() const noexcept { return off_; }

  /// The entry of a key, which now counts as used last. One that is not whole is removed.
  std::optional<CodeContents> read(const std::string &key) const;
  /// Keeps an entry, and removes those not used for longest where all are beyond the limit.
  void write(const std::string &key, const CodeContents &contents) const;

  /// Lets one process at a time make the entry of a key. Waits for another one's making, up to a
  /// minute, and without a lock where the file system has none.
  EntryLock lock(const std::string &key) const;

  struct Use {
    uint64_t entries = 0;
    uint64_t bytes = 0;
  };
  Use use() const;
  /// Removes all entries; how many there were.
  uint64_t clear() const;

 private:
  void shrink() const;

  const CacheSettings settings_;
  CacheFolder folder_;
  std::string off_;
};

}  // namespace nexus::core
