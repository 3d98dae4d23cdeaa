// SPDX-License-Identifier: Apache-2.0
//
// Errors inside libnexus: thrown as Failure, turned into a status and the
// thread's last error at the C border, so that nothing is thrown out of it.
#pragma once

#include <nexus-api/nxs.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nexus::core {

/// text with a zero byte, which a name from outside may hold, written as \0: what() and the
/// programs that read it would take it for the end.
std::string showingZeros(std::string text);

/// What a C function of libnexus will report. text is a sentence that names the
/// parameter, the value and the remedy.
class Failure : public std::exception {
 public:
  /// native_code is the driver's own number, 0 for none; backend is empty for the core.
  Failure(nxs_status status, std::string text, int64_t native_code = 0, std::string backend = {})
      : status_(status),
        native_code_(native_code),
        backend_(std::move(backend)),
        text_(showingZeros(std::move(text))) {}

  nxs_status status() const noexcept { return status_; }
  int64_t nativeCode() const noexcept { return native_code_; }
  const std::string &backend() const noexcept { return backend_; }
  const std::string &text() const noexcept { return text_; }
  /// All that a compiler said; empty where none refused a program.
  std::string_view log() const noexcept { return log_ ? std::string_view(*log_) : ""; }
  const char *what() const noexcept override { return text_.c_str(); }

  /// The same failure that says one sentence more; an empty one says nothing.
  Failure with(const std::string &sentence) const {
    Failure more(status_, sentence.empty() ? text_ : text_ + " " + sentence, native_code_,
                 backend_);
    more.log_ = log_;
    return more;
  }
  /// The same failure with the log of the compiler that refused a program.
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

/// A wait that ended before what it waited for: its time had passed, or it was interrupted. Failed
/// work may have the same statuses, and is none.
class WaitEnded final : public Failure {
 public:
  using Failure::Failure;
};

/// Makes failure this thread's last error and returns its status.
nxs_status noteFailure(const Failure &failure) noexcept;

/// The same for the exception being handled, of any type: call it in a catch block.
/// std::bad_alloc becomes NXS_OutOfHostMemory, what is unknown NXS_InternalError.
nxs_status noteCurrentException() noexcept;

/// Lets this thread's last error go: for a thread of the core's own, which has no end.
void forgetFailure() noexcept;

/// Runs the body of a C function. The body returns nothing or an nxs_status, which
/// is passed on (noteFailure was then called); what it throws becomes the last error.
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

/// Throws NXS_InvalidValue where the caller gave NULL for parameter.
inline void requirePointer(const void *pointer, std::string_view parameter) {
  if (pointer == nullptr) {
    throw Failure(NXS_InvalidValue,
                  std::string(parameter) + " is NULL; give a pointer to valid memory.");
  }
}

/// "NXS_InvalidBuffer", or "NXS_Unknown" for a number that is no status.
const char *statusName(nxs_status status) noexcept;

/// The caller's string. Throws NXS_InvalidValue, naming parameter, where data is
/// NULL with size above 0 or the bytes are not UTF-8.
std::string_view viewOf(nxs_string text, std::string_view parameter);

}  // namespace nexus::core
