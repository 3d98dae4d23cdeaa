// SPDX-License-Identifier: Apache-2.0
//
// The folder of the cache on disk, and files in it that are this user's alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nexus::core {

/// An open file or folder, closed at its end.
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

/// A folder that was opened, so that what happens to its path later does not matter. Files are
/// named within it; links are not followed. Failures are answers: nothing here throws but for
/// memory.
class CacheFolder {
 public:
  /// Opens the folder, which is made with mode 0700 where `create` is set and it is not there.
  /// why() tells where it can't be used: another user's, or one that others can write to.
  CacheFolder(const std::string &path, bool create);

  explicit operator bool() const noexcept { return static_cast<bool>(folder_); }
  /// Whether there is just no such folder.
  bool absent() const noexcept { return absent_; }
  /// A sentence: why the folder is not used; empty where it is, or is absent.
  const std::string &why() const noexcept { return why_; }
  int handle() const noexcept { return folder_.get(); }

  /// The bytes of a file that is this user's and that nobody else can write to.
  std::optional<std::string> read(const std::string &name) const;
  /// Writes a file under another name and then renames it, so that nobody sees a part of it.
  bool write(const std::string &name, std::string_view bytes) const;
  bool remove(const std::string &name) const;

 private:
  FileHandle folder_;
  bool absent_ = false;
  std::string why_;
};

}  // namespace nexus::core
