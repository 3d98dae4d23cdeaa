// SPDX-License-Identifier: Apache-2.0
// Statuses and texts for the driver's errors.
#ifndef NEXUS_CUDA_ERROR_HPP_
#define NEXUS_CUDA_ERROR_HPP_

#include "driver/cuda_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/driver/driver_errors.hpp>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;

// For calls that concern a device use Device::check() instead, which keeps fatal errors.
extern const nexus_plugin::DriverErrors errors;

// Returns the status for an error if its caller has no better one.
nxs_status status_of(CUresult error) noexcept;

// Returns "CUDA_ERROR_INVALID_VALUE (1)"; "error 9999" for a number that the driver does not know.
std::string error_name(CUresult error);

// Returns "cuMemAlloc returned CUDA_ERROR_INVALID_VALUE (1)" if that was this thread's last failed
// call; else only the error's name.
std::string answer_of(CUresult error);

// Returns whether the error makes the context unusable, so that every later call returns it too.
bool is_fatal(CUresult error) noexcept;

// Makes the error "<what> failed: cu... returned CUDA_ERROR_... (n); <what to do>".
Error make_error_of(CUresult error, nxs_status status, std::string_view what);

// Throws make_error_of(). For calls that concern a device use Device::check() instead, which
// remembers fatal errors.
[[noreturn]] void throw_error(CUresult error, std::string_view what);
[[noreturn]] void throw_error(CUresult error, nxs_status status, std::string_view what);

// Logs a warning if the driver could not free something and no caller can be told. Not for fatal
// errors, which every later call returns.
void log_unreleased(CUresult error, std::string_view what) noexcept;

// Throws if the call failed. what: such as "making a stream".
inline void check(CUresult error, std::string_view what) {
  if (error != CUDA_SUCCESS) [[unlikely]]
    throw_error(error, what);
}

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_ERROR_HPP_
