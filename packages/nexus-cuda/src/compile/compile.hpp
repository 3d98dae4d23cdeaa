// SPDX-License-Identifier: Apache-2.0
// Compiles and links programs with NVIDIA's libraries.
#ifndef NEXUS_CUDA_COMPILE_HPP_
#define NEXUS_CUDA_COMPILE_HPP_

#include "compile/compile_request.hpp"

namespace nexus_cuda NXS_HIDDEN {

// ---- Programs in CUDA C++ and in the portable language: NVRTC --------------

// Returns such as "NVRTC 13.5". Throws NXS_CompilerNotAvailable.
std::string nvrtc_title();

// Describes how NVRTC would compile a program. If NVRTC does not know the device's architecture,
// and the caller named no target, the target is PTX of the newest architecture that it knows. Opens
// NVRTC only if its files do not tell its version, or the device may be too new for it. Throws
// NXS_CompilerNotAvailable.
CompileDescription describe_nvrtc(const Device &device, CompileRequest &request);

// Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_InvalidValue (an architecture
// that NVRTC does not know), NXS_CompilerNotAvailable, NXS_Cancelled.
void compile_with_nvrtc(const Device &device, CompileRequest &request, const nxs_sink &code,
                        const nxs_sink &log);

// ---- Programs in NVVM IR and PTX: libNVVM and nvJitLink --------------------

// Returns the flags for libNVVM.
std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings);

// Compiles NVVM IR, text or bitcode, to PTX or LTO-IR, and adds libdevice if the module calls it.
// log: gets libNVVM's output on success; may be NULL. Throws NXS_CompileProgramFailure,
// NXS_InvalidCompilerOptions, NXS_CompilerNotAvailable, NXS_Cancelled.
std::string compile_nvvm(std::string_view module, const std::string &name,
                         const std::vector<std::string> &flags, const nxs_sink *log = nullptr);

// Compiles NVVM IR to PTX with libNVVM, and PTX to machine code with nvJitLink. Without nvJitLink,
// and if the caller named no target, the result is PTX, which the driver compiles. Throws
// NXS_CompilerNotAvailable, NXS_LinkerNotAvailable, NXS_InvalidValue (LTO-IR of PTX); compile_ir()
// also NXS_CompileProgramFailure.
CompileDescription describe_ir(CompileRequest &request);
void compile_ir(CompileRequest &request, const nxs_sink &code, const nxs_sink &log);

// ---- Linking: nvJitLink ----------------------------------------------------

// Returns such as "nvJitLink 13.5". Throws NXS_LinkerNotAvailable.
std::string linker_title();

struct LinkPlan {
  CompileTarget target;  // machine code or PTX
  std::vector<std::string> flags;
};

// Returns the flags for nvJitLink.
std::vector<std::string> link_flags(const CompileTarget &target, const CodeSettings &settings);

// Links pieces of code of any CodeFormat; NVVM IR is compiled first. log: gets the linker's output,
// also if it fails; may be NULL. Throws NXS_LinkProgramFailure, NXS_InvalidBinary (a piece that
// can't be linked), NXS_LinkerNotAvailable, NXS_InvalidCompilerOptions, NXS_InvalidValue (the
// target), NXS_Cancelled.
std::string link_pieces(const LinkPlan &plan, const std::vector<LinkSettings::Piece> &pieces,
                        const nxs_sink *log = nullptr);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILE_HPP_
