// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_NVRTC_JOB_HPP_
#define NEXUS_CUDA_NVRTC_JOB_HPP_

#include "toolkit/compile_target.hpp"
#include "toolkit/name_table.hpp"
#include "toolkit/nvrtc.hpp"

#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// A request to NVRTC.
struct NvrtcTask {
  std::string source, name;
  std::vector<std::string> options;
  std::vector<std::string> name_expressions;
  CodeKind kind = CodeKind::machine;  // of the code that is wanted
};

struct NvrtcOutcome {
  nvrtcResult result = NVRTC_SUCCESS;
  const char *function = "";  // of NVRTC, which returned the result
  std::string log;            // with places as other compilers have them
  std::string code;           // empty where it failed
  NameTable names;
};

// Compiles on a thread of its own. Throws NXS_Cancelled, or NXS_CompilerNotAvailable where NVRTC
// takes too long (the compiler is then told to end, where it can be) or gives no code.
NvrtcOutcome run_nvrtc(const Nvrtc &nvrtc, NvrtcTask task);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVRTC_JOB_HPP_
