// SPDX-License-Identifier: Apache-2.0
//
// Errors inside libnexus: thrown as Failure, and turned into a status and the thread's last error
// at the C-API, which no exception leaves. And the error records that plug-ins make: why a call or
// work failed, in the backend's words. Threads may pass ids of records to each other.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/text.hpp"

namespace nexus::core {

/// Returns text with zero bytes, which foreign names may contain, written as \0. Else what(), and
/// programs that read it, would end the text there.
std::string escapeZeros(std::string text);

/// An error to be reported by a C function. text is a sentence with the parameter, the value and
/// the remedy.
class Failure : public std::exception {
 public:
  /// native_code is the driver's error code, or 0; backend is empty for the core.
  Failure(nxs_status status, std::string text, int64_t native_code = 0, std::string backend = {})
      : status_(status),
        native_code_(native_code),
        backend_(std::move(backend)),
        text_(escapeZeros(std::move(text))) {}

  nxs_status status() const noexcept { return status_; }
  int64_t nativeCode() const noexcept { return native_code_; }
  const std::string &backend() const noexcept { return backend_; }
  const std::string &text() const noexcept { return text_; }
  /// The compiler's log of a refused program; else empty.
  std::string_view log() const noexcept { return log_ ? std::string_view(*log_) : ""; }
  const char *what() const noexcept override { return text_.c_str(); }

  /// Returns this failure with one more sentence; an empty one adds nothing.
  Failure with(const std::string &sentence) const {
    Failure more(status_, sentence.empty() ? text_ : text_ + " " + sentence, native_code_,
                 backend_);
    more.log_ = log_;
    return more;
  }
  Failure withLog(std::string log) const {
    Failure logged = *this;
    logged.log_ = std::make_shared<const std::string>(std::move(log));
    return logged;
  }

 private:
  nxs_status status_;
  int64_t native_code_;
  std::string backend_;
  std::string text_;
  std::shared_ptr<const std::string> log_;  // shared, since it may be large
};

/// Throws a Failure whose text is parts, joined: texts as they are, numbers in decimal.
template <typename... Parts>
[[noreturn]] void failWith(nxs_status status, const Parts &...parts) {
  throw Failure(status, join(parts...));
}

/// A wait that timed out or was interrupted. A separate type, since failed work may have the same
/// statuses.
class WaitEnded final : public Failure {
 public:
  using Failure::Failure;
};

/// Makes failure this thread's last error and returns its status.
nxs_status noteFailure(const Failure &failure) noexcept;

/// Does the same for the exception being handled, of any type: call it in a catch block.
/// std::bad_alloc becomes NXS_OutOfHostMemory, unknown types NXS_InternalError.
nxs_status noteCurrentException() noexcept;

/// Clears this thread's last error.
void forgetFailure() noexcept;

/// Runs the body of a C function. The body returns nothing or an nxs_status, which is returned
/// (noteFailure() was then called). An exception becomes the last error.
template <typename F>
nxs_status guarded(F &&body) noexcept {
  try {
    if constexpr (std::is_same_v<std::invoke_result_t<F>, nxs_status>) {
      return std::forward<F>(body)();
    } else {
      std::forward<F>(body)();
      return NXS_Success;
    }
  } catch (...) {
    return noteCurrentException();
  }
}

inline void requirePointer(const void *pointer, std::string_view parameter) {
  if (pointer == nullptr) {
    failWith(NXS_InvalidValue, parameter, " is NULL; give a pointer to valid memory.");
  }
}

/// Throws NXS_InvalidValue if the caller's struct, the parameter of that name, has fewer than least
/// bytes. type: "nxs_value".
void requireSize(uint64_t struct_size, uint64_t least, const char *parameter, const char *type);

/// Throws NXS_InvalidValue unless info points to a whole struct.
template <typename Info>
void requireWhole(const Info *info, const char *parameter, const char *type) {
  requirePointer(info, parameter);
  requireSize(info->struct_size, sizeof(Info), parameter, type);
}

/// Runs the body of a C function that returns its one result in *out, the parameter of that name. A
/// Ref passes its reference to the caller.
template <typename T, typename F>
nxs_status giveResult(T *out, const char *parameter, F &&body) noexcept {
  return guarded([&] {
    requirePointer(out, parameter);
    if constexpr (requires { body().detach(); }) {
      *out = body().detach();
    } else {
      *out = body();
    }
  });
}

/// Returns "NXS_InvalidBuffer", or "NXS_Unknown" for a number that is not a status.
const char *statusName(nxs_status status) noexcept;

/// Returns the caller's string. Throws NXS_InvalidValue, naming parameter, if data is NULL with
/// size above 0, or if the bytes are not UTF-8.
std::string_view viewOf(nxs_string text, std::string_view parameter);

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
