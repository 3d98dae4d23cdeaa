// SPDX-License-Identifier: Apache-2.0
//
// The folder of the cache on disk, and its files, which only this user can write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nexus::core {

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
  /// Returns whether the folder is merely missing.
  bool absent() const noexcept { return absent_; }
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
  bool absent_ = false;
  std::string why_;
};

}  // namespace nexus::core
