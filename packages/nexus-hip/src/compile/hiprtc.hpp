// SPDX-License-Identifier: Apache-2.0 Programs in HIP C++ and in the portable language, compiled by
// hipRTC in its own process.
#ifndef NEXUS_HIP_HIPRTC_HPP_
#define NEXUS_HIP_HIPRTC_HPP_

#include "compile/compile_request.hpp"

#include <nexus-plugin/compile/compile.hpp>

namespace nexus_hip NXS_HIDDEN {

// Returns a text such as "hipRTC (libhiprtc.so.6.2.60204)"; empty if there is no hipRTC.
std::string hiprtc_title();

// What hipRTC would do with a program. Starts the process once for each set of libraries, to find
// hipRTC. Throws NXS_CompilerNotAvailable.
nexus_plugin::CompileDescription describe_hiprtc(const CompileRequest &request);

// Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_CompilerNotAvailable (also if
// hipRTC ends its process or takes too long), NXS_Cancelled.
void compile_with_hiprtc(const CompileRequest &request, const nxs_sink &code, const nxs_sink &log);

}  // namespace nexus_hip

#endif  // NEXUS_HIP_HIPRTC_HPP_
