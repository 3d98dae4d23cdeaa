// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_COMPILE_HPP_
#define NEXUS_CUDA_COMPILE_HPP_

#include "toolkit/compile_request.hpp"

namespace nexus_cuda NXS_HIDDEN {

// ---- Programs in CUDA C++ and in the portable language, compiled by NVRTC ----

// What NVRTC would do with a program. NVRTC is not opened for it, but where its files don't say its
// version, or the device may be newer than it: then the code is PTX of the newest architecture
// that it knows. Throws NXS_CompilerNotAvailable.
nexus_plugin::CompileDescription describe_nvrtc(const CompileDevice &device,
                                                CompileRequest &request);

// Compiles it. Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_InvalidValue (an
// architecture that NVRTC does not know), NXS_CompilerNotAvailable, NXS_Cancelled.
void compile_with_nvrtc(const CompileDevice &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log);

// ---- Programs in PTX and in NVVM IR -----------------------------------

// NVVM IR becomes PTX by libNVVM, and PTX machine code by nvJitLink; where that is not installed
// and the target is the device's own, the code stays PTX, which the driver compiles. Throws
// NXS_CompilerNotAvailable, NXS_LinkerNotAvailable, NXS_InvalidValue (a target that the language
// has not).
nexus_plugin::CompileDescription describe_ir(const CompileDevice &device, CompileRequest &request);

// Throws NXS_CompileProgramFailure too.
void compile_ir(const CompileDevice &device, CompileRequest &request, const nxs_sink &code,
                const nxs_sink &log);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_HPP_
