// SPDX-License-Identifier: Apache-2.0
// Errors inside a plug-in, and how its C functions turn them into statuses.
#ifndef NEXUS_PLUGIN_ERROR_HPP_
#define NEXUS_PLUGIN_ERROR_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/text.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// The exception that plug-ins throw. The text is a sentence with the parameter, the value and the
// remedy: throw Error(NXS_InvalidValue, "offset is ", offset, "; ...").
class Error : public std::runtime_error {
 public:
  template <class... Parts>
  explicit Error(nxs_status status, const Parts &...parts)
      : Error(NativeCode{0}, status, join(parts...)) {}

  // Makes an error with the driver's own error code.
  template <class... Parts>
  static Error with_native_code(int64_t native_code, nxs_status status, const Parts &...parts) {
    return Error(NativeCode{native_code}, status, join(parts...));
  }

  nxs_status status() const noexcept { return status_; }
  int64_t native_code() const noexcept { return native_code_; }

 private:
  struct NativeCode {
    int64_t value;
  };

  Error(NativeCode native_code, nxs_status status, std::string text)
      : std::runtime_error(detail::showing_zeros(text)),
        native_code_(native_code.value),
        status_(status) {}

  int64_t native_code_;
  nxs_status status_;
};

namespace detail {

// Calls report(status, native code, text) for the exception being handled.
template <class Report>
auto with_current_exception(Report &&report) {
  try {
    throw;
  } catch (const Error &error) {
    return report(error.status(), error.native_code(), error.what());
  } catch (const std::bad_alloc &) {
    return report(NXS_OutOfHostMemory, int64_t{0},
                  "the host has no memory left; release buffers or make smaller ones");
  } catch (const std::exception &error) {
    return report(NXS_InternalError, int64_t{0}, error.what());
  } catch (...) {
    return report(NXS_InternalError, int64_t{0},
                  "the plug-in threw something that is not a std::exception");
  }
}

}  // namespace detail

// Reports the exception being handled to the host and returns its status: call it in a catch block.
[[gnu::cold, gnu::noinline]] inline nxs_status report_current_exception() noexcept {
  return detail::with_current_exception(
      [](nxs_status status, int64_t native_code, const char *text) {
        make_error(native_code, text);
        return status;
      });
}

// Runs the body of a C function. Turns any exception into a status and an error record, so that
// none leaves the function.
template <class Body>
nxs_status guarded(Body &&body) noexcept {
  try {
    std::forward<Body>(body)();
    return NXS_Success;
  } catch (...) {
    return report_current_exception();
  }
}

// Does the same for a C function with one result: writes the body's result to out, on success only.
// Returns NXS_InvalidValue if out is NULL.
template <class Out, class Body>
nxs_status guarded(Out *out, Body &&body) noexcept {
  return guarded([&] {
    if (out == nullptr) throw Error(NXS_InvalidValue, "the pointer for the result is NULL");
    *out = std::forward<Body>(body)();
  });
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ERROR_HPP_
