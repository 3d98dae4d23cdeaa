// SPDX-License-Identifier: Apache-2.0
// What an error number of OpenCL means, in our statuses and in words.
#ifndef NEXUS_OPENCL_ERROR_HPP_
#define NEXUS_OPENCL_ERROR_HPP_

#include "cl_types.hpp"

#include <nexus-plugin/error.hpp>
#include <nexus-plugin/text.hpp>
#include <string>
#include <string_view>

namespace nexus_opencl NXS_HIDDEN {

// The status for an error of the driver that no caller knows better.
nxs_status status_of(cl_int error) noexcept;

// "CL_OUT_OF_RESOURCES (-5)"; "error -9999" for a number that no specification has.
std::string error_name(cl_int error);

// Throws Error: "<what> failed: CL_OUT_OF_RESOURCES (-5); <what to do>" with the number.
[[noreturn]] void throw_error(cl_int error, std::string_view what);
// The same with another status than status_of() has.
[[noreturn]] void throw_error(cl_int error, nxs_status status, std::string_view what);

// Throws where the driver refused. what: what was tried, such as "making a buffer of 8 bytes".
inline void check(cl_int error, std::string_view what) {
  if (error != CL_SUCCESS) [[unlikely]]
    throw_error(error, what);
}

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_ERROR_HPP_
