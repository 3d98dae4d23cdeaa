// SPDX-License-Identifier: Apache-2.0
// NVIDIA's compiler of NVVM IR, which is LLVM's with rules. Our own declarations of nvvm.h.
#ifndef NEXUS_CUDA_NVVM_HPP_
#define NEXUS_CUDA_NVVM_HPP_

#include "toolkit/compile_request.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nvvmProgram = struct nvvmProgramObject *;

enum nvvmResult : int {
  NVVM_SUCCESS = 0,
  NVVM_ERROR_INVALID_OPTION = 7,
};

// An opened library. Lives as long as the process.
struct Nvvm {
#define NVVM_FUNCTION(name, parameters) nvvmResult(*name) parameters = nullptr;
#include "toolkit/nvvm_functions.def"
  int version = 0;  // major * 10 + minor
};

struct NvvmTask {
  std::string module, name;  // the IR, text or bitcode
  std::vector<std::string> options;
};

struct NvvmOutcome {
  std::string log;
  std::string code;  // PTX, or LTO-IR
};

// "libNVVM 4.0", told by the library, and what changes when it or libdevice does. Throws
// NXS_CompilerNotAvailable.
std::string nvvm_title();
std::string nvvm_identity();

// For settings that programs have.
std::vector<std::string> nvvm_flags(const CompileTarget &target, const CodeSettings &settings);

// Compiles on a thread of its own, with NVIDIA's library of mathematics where the module calls it.
// Throws NXS_CompileProgramFailure, NXS_InvalidCompilerOptions, NXS_CompilerNotAvailable,
// NXS_Cancelled.
NvvmOutcome compile_nvvm(NvvmTask task);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVVM_HPP_
