// SPDX-License-Identifier: Apache-2.0
// Programs in PTX and in NVVM IR.
#ifndef NEXUS_CUDA_IR_COMPILE_HPP_
#define NEXUS_CUDA_IR_COMPILE_HPP_

#include "toolkit/compile_request.hpp"

namespace nexus_cuda NXS_HIDDEN {

// NVVM IR becomes PTX by libNVVM, and PTX machine code by nvJitLink; where that is not installed
// and the target is the device's own, the code stays PTX, which the driver compiles. Throws
// NXS_CompilerNotAvailable, NXS_LinkerNotAvailable, NXS_InvalidValue (a target that the language
// has not).
nexus_plugin::CompileDescription describe_ir(const CompileDevice &device, CompileRequest &request);

// Throws NXS_CompileProgramFailure too.
void compile_ir(const CompileDevice &device, CompileRequest &request, const nxs_sink &code,
                const nxs_sink &log);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_IR_COMPILE_HPP_
