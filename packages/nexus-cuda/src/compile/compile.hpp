// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_COMPILE_HPP_
#define NEXUS_CUDA_COMPILE_HPP_

#include "compile/compile_request.hpp"

namespace nexus_cuda NXS_HIDDEN {

// ---- Programs in CUDA C++ and in the portable language, compiled by NVRTC ----

// "NVRTC 13.5". Throws NXS_CompilerNotAvailable.
std::string nvrtc_title();

// What NVRTC would do with a program. Opens NVRTC only where its files don't say its version, or
// where the device may be newer than it: then the code is PTX of the newest architecture that it
// knows. Throws NXS_CompilerNotAvailable.
CompileDescription describe_nvrtc(const Device &device, CompileRequest &request);

// Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_InvalidValue (an architecture
// that NVRTC does not know), NXS_CompilerNotAvailable, NXS_Cancelled.
void compile_with_nvrtc(const Device &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log);

// ---- Programs in PTX and in NVVM IR -----------------------------------

// The flags of libNVVM.
std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings);

// Compiles NVVM IR, text or bitcode, to PTX or LTO-IR, with libdevice where the module calls it.
// log: gets what libNVVM says, where not NULL. Throws NXS_CompileProgramFailure,
// NXS_InvalidCompilerOptions, NXS_CompilerNotAvailable, NXS_Cancelled.
std::string compile_nvvm(std::string_view module, const std::string &name,
                         const std::vector<std::string> &flags, std::string *log = nullptr);

// NVVM IR becomes PTX by libNVVM, and PTX machine code by nvJitLink; where that is not installed
// and no target was asked for, the code stays PTX, which the driver compiles. Throws
// NXS_CompilerNotAvailable, NXS_LinkerNotAvailable, NXS_InvalidValue (a target that the language
// has not), and compile_ir() NXS_CompileProgramFailure too.
CompileDescription describe_ir(CompileRequest &request);
void compile_ir(CompileRequest &request, const nxs_sink &code, const nxs_sink &log);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_HPP_
