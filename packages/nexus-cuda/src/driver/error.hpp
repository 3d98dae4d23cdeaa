// SPDX-License-Identifier: Apache-2.0
// Meanings of the driver's error numbers: our statuses, and words.
#ifndef NEXUS_CUDA_ERROR_HPP_
#define NEXUS_CUDA_ERROR_HPP_

#include "driver/cuda_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::Error;
using nexus_plugin::join;

// The status for an error of the driver that no caller knows better.
nxs_status status_of(CUresult error) noexcept;

// "CUDA_ERROR_INVALID_VALUE (1)"; "error 9999" for a number that the plug-in does not know.
std::string error_name(CUresult error);

// "cuMemAlloc returned CUDA_ERROR_INVALID_VALUE (1)", where this thread's latest refusal was that.
std::string answer_of(CUresult error);

// Returns whether the device's context is of no more use: every later call would return the same.
bool is_fatal(CUresult error) noexcept;

// The error "<what> failed: CUDA_ERROR_... (n); <what to do>" with the number.
Error make_error_of(CUresult error, nxs_status status, std::string_view what);

// Throws it. Where the call was made for a device, use Device::check() instead, which remembers
// fatal errors.
[[noreturn]] void throw_error(CUresult error, std::string_view what);
[[noreturn]] void throw_error(CUresult error, nxs_status status, std::string_view what);

// Where the driver refused to free something nobody can be told: a line in the log says so. Fatal
// errors are not logged, as every later call tells them.
void log_unreleased(CUresult error, std::string_view what) noexcept;

// Throws where the driver refused. what: what was tried, such as "making a stream".
inline void check(CUresult error, std::string_view what) {
  if (error != CUDA_SUCCESS) [[unlikely]]
    throw_error(error, what);
}

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_ERROR_HPP_
