// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler: which one, and its functions. Our own declarations of nvrtc.h.
#ifndef NEXUS_CUDA_NVRTC_HPP_
#define NEXUS_CUDA_NVRTC_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nvrtcProgram = struct nvrtcProgramObject *;

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_CANCELLED = 16,
};

// An NVRTC that is there, known without opening it.
struct NvrtcPlace {
  std::string path;
  int version = 0;       // major * 10 + minor
  std::string identity;  // changes when the compiler does
};

// Throws NXS_CompilerNotAvailable.
NvrtcPlace find_nvrtc(int driver_major);

// "NVRTC 13.5"
std::string nvrtc_title(int version);

// An opened library. Lives as long as the process.
struct Nvrtc {
#define NVRTC_FUNCTION(need, name, parameters) nvrtcResult(*name) parameters = nullptr;
#include "toolkit/nvrtc_functions.def"
  int version = 0;                 // major * 10 + minor
  std::vector<int> architectures;  // compute capabilities that it compiles for: 75, 80, ...
};

// Throws NXS_CompilerNotAvailable.
const Nvrtc &open_nvrtc(const std::string &path);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVRTC_HPP_
