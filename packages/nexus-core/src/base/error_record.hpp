// SPDX-License-Identifier: Apache-2.0
//
// The error records that plug-ins make: why a call or a piece of work failed, in
// the backend's words. A record's id may be handed on between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexus::core {

struct ErrorRecord {
  uint32_t tag = 0;         // the plug-in that made it
  int64_t native_code = 0;  // the driver's own number, 0 for none
  std::string text;
  std::string place;  // a sentence on the work that failed with it; empty until it is known
};

/// Makes a record and notes it as this thread's latest, which lets go of the one
/// before. Text beyond 4096 bytes is cut. Never 0: where memory is short, the id
/// of a record that says so.
uint64_t makeErrorRecord(uint32_t tag, int64_t native_code, std::string_view text) noexcept;

/// Count the holders of a record, which ends with the last one. An id that is none does nothing.
void retainErrorRecord(uint64_t id) noexcept;
void releaseErrorRecord(uint64_t id) noexcept;

/// A copy of the record; nothing where the id is none, or the record has ended.
std::optional<ErrorRecord> findErrorRecord(uint64_t id);

/// Notes the place of a record, for all who are told of it later. An id that is none does nothing.
void setErrorPlace(uint64_t id, std::string_view place);

/// This thread's latest record, or 0. It stays alive until the thread makes or forgets one.
uint64_t threadErrorRecord() noexcept;

/// Lets go of this thread's latest record.
void forgetThreadErrorRecord() noexcept;

}  // namespace nexus::core
