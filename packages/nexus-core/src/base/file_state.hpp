// SPDX-License-Identifier: Apache-2.0
//
// Detection of changed files.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace nexus::core {

/// The state of a path when it was checked, also of a missing file.
struct FileState {
  std::string path;
  bool present = false;  // is a regular file
  uint64_t device = 0;
  uint64_t number = 0;  // inode
  uint64_t size = 0;
  int64_t written = 0;  // nanoseconds; programs can set it
  int64_t changed = 0;  // nanoseconds; only the system sets it
  /// Whether a later change certainly has another time.
  bool settled = true;
};

FileState stateOf(const std::string &path);

/// Returns when a file was written, in nanoseconds.
int64_t timeWritten(const struct stat &status);

/// Returns whether the path still has that state. Costs one system call.
bool isUnchanged(const FileState &state);

/// Throws NXS_InvalidBinary for a pipe, a socket or a device: opening a pipe waits for a writer,
/// and a device may have no end. wanted: "a library file".
void refuseEndlessFile(const std::string &path, const char *wanted);

/// Returns the text of a regular file with that state; nothing if there is none or it can't be
/// read.
std::optional<std::string> readText(const FileState &state, uint64_t most = UINT64_MAX);

}  // namespace nexus::core
