// SPDX-License-Identifier: Apache-2.0
//
// Whether a file is still the one that was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nexus::core {

/// What a path led to when it was looked at. A file that was looked for in vain is one too.
struct FileState {
  std::string path;
  bool present = false;  // as a regular file
  uint64_t device = 0;
  uint64_t number = 0;  // of the file on its device
  uint64_t size = 0;
  int64_t written = 0;  // nanoseconds; programs can set it
  int64_t changed = 0;  // nanoseconds; only the system sets it
  /// Whether a change after this look has another time for certain.
  bool settled = true;
};

FileState stateOf(const std::string &path);

/// Whether the path leads to what it did. Costs one question to the system.
bool isUnchanged(const FileState &state);

/// Throws NXS_InvalidBinary for a pipe, a socket or a device: opening a pipe waits for a writer,
/// and a device may have no end. wanted: "a library file".
void refuseEndlessFile(const std::string &path, const char *wanted);

/// The text of a regular file, and its state before it was read; nothing where there is none or it
/// can't be read.
std::optional<std::string> readText(const FileState &state, uint64_t most = UINT64_MAX);

}  // namespace nexus::core
