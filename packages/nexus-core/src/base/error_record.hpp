// SPDX-License-Identifier: Apache-2.0
//
// The error records that plug-ins make: why a call or work failed, in the backend's words. Threads
// may pass ids of records to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

struct ErrorRecord {
  uint32_t tag = 0;         // the plug-in that made it
  int64_t native_code = 0;  // the driver's error code, or 0
  std::string text;
  std::string place;  // a sentence that names the work that failed; empty until known
};

/// Makes a record and makes it this thread's latest, in place of the one before. Text beyond 4096
/// bytes is cut. Never returns 0: without memory, it returns the id of a record that says so.
uint64_t makeErrorRecord(uint32_t tag, int64_t native_code, std::string_view text) noexcept;

/// Add and remove a reference to a record; the last one frees it. Invalid ids are ignored.
void retainErrorRecord(uint64_t id) noexcept;
void releaseErrorRecord(uint64_t id) noexcept;

/// Returns a copy of the record; nothing for an invalid id or a freed record.
std::optional<ErrorRecord> findErrorRecord(uint64_t id);

/// Sets the place of a record, for later reports of it. Invalid ids are ignored.
void setErrorPlace(uint64_t id, std::string_view place);

/// Returns this thread's latest record, or 0. It stays valid until the thread makes or forgets one.
uint64_t threadErrorRecord() noexcept;

void forgetThreadErrorRecord() noexcept;

}  // namespace nexus::core
