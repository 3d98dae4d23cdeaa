// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_ERROR_HPP_
#define NEXUS_ERROR_HPP_

#include <nexus/nexus_c.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nexus {

/// The exception of this API. It is made, thrown and caught in the program's own code; no exception
/// leaves libnexus.
///
/// what() is a sentence with the failure and its remedy.
class Error : public std::runtime_error {
 public:
  Error(nxs_status status, const std::string &text, std::int64_t nativeCode = 0,
        std::string_view backend = {}, std::string_view log = {})
      : std::runtime_error(text),
        status_(status),
        nativeCode_(nativeCode),
        backend_(std::make_shared<const std::string>(backend)),
        log_(std::make_shared<const std::string>(log)) {}

  /// An NXS_ status, never NXS_Success.
  nxs_status status() const noexcept { return status_; }
  /// "NXS_InvalidValue" and so on; lives as long as the process.
  const char *statusName() const noexcept { return nexus_status_name(status_); }
  /// The driver's error code, or 0.
  std::int64_t nativeCode() const noexcept { return nativeCode_; }
  /// The backend that failed, such as "cpu"; empty for the core.
  const std::string &backend() const noexcept { return *backend_; }
  /// The compiler's log of a refused program; else empty.
  const std::string &log() const noexcept { return *log_; }

 private:
  nxs_status status_;
  std::int64_t nativeCode_;
  std::shared_ptr<const std::string> backend_;  // shared, so that a copy can't throw
  std::shared_ptr<const std::string> log_;
};

namespace detail {

inline nxs_string toString(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

inline std::string_view toView(nxs_string text) noexcept {
  return text.data == nullptr ? std::string_view{}
                              : std::string_view{text.data, static_cast<std::size_t>(text.size)};
}

/// Returns an empty struct of the C functions with its size.
template <class Struct>
constexpr Struct sized() noexcept {
  Struct made{};
  made.struct_size = sizeof(made);
  return made;
}

[[noreturn]] inline void throwLastError(nxs_status status) {
  auto info = sized<nexus_error_info>();
  nexus_get_last_error(&info);
  if (info.status != status) {
    throw Error(status, nexus_status_name(status));
  }
  std::string text{toView(info.text)};
  if (text.empty()) {
    text = nexus_status_name(status);
  }
  throw Error(status, text, info.native_code, toView(info.backend), toView(info.log));
}

/// Throws this thread's latest error unless status is NXS_Success.
inline void check(nxs_status status) {
  if (status != NXS_Success) [[unlikely]] {
    throwLastError(status);
  }
}

}  // namespace detail
}  // namespace nexus

#endif  // NEXUS_ERROR_HPP_
