// SPDX-License-Identifier: Apache-2.0
// NVIDIA's linker: its functions, and one use of it. Our own declarations of nvJitLink.h.
#ifndef NEXUS_CUDA_NVJITLINK_HPP_
#define NEXUS_CUDA_NVJITLINK_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nvJitLinkHandle = struct nvJitLinkObject *;

enum nvJitLinkResult : int {
  NVJITLINK_SUCCESS = 0,
  NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
  NVJITLINK_ERROR_INVALID_INPUT = 3,
  NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
  NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
  NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
  NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
};

enum nvJitLinkInputType : int {
  NVJITLINK_INPUT_CUBIN = 1,
  NVJITLINK_INPUT_PTX = 2,
  NVJITLINK_INPUT_LTOIR = 3,
  NVJITLINK_INPUT_FATBIN = 4,
  NVJITLINK_INPUT_OBJECT = 5,
  NVJITLINK_INPUT_LIBRARY = 6,
};

// An opened library. Lives as long as the process.
struct NvJitLink {
#define NVJITLINK_FUNCTION(name, parameters) nvJitLinkResult(*name) parameters = nullptr;
#include "toolkit/nvjitlink_functions.def"
  unsigned version = 0;  // major * 10 + minor
};

// Throws NXS_LinkerNotAvailable.
const NvJitLink &open_nvjitlink(int driver_major);

// "nvJitLink 13.5"
std::string nvjitlink_title(unsigned version);

struct LinkPiece {
  nvJitLinkInputType type;
  std::string code, name;
};

struct NvJitLinkTask {
  std::vector<LinkPiece> pieces;
  std::vector<std::string> options;
  bool ptx = false;  // the result is to be PTX, which only the option -lto gives
};

struct NvJitLinkOutcome {
  nvJitLinkResult result = NVJITLINK_SUCCESS;
  const char *function = "";  // of nvJitLink, which returned the result
  std::string log;            // errors, or what else it says
  std::string code;           // empty where it failed
  std::string refused_piece;  // the name of the piece that it would not take; empty: none
};

// Links on the linker's thread, one after the other. Throws NXS_Cancelled, or
// NXS_LinkerNotAvailable where it takes too long.
NvJitLinkOutcome run_nvjitlink(const NvJitLink &linker, NvJitLinkTask task);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_NVJITLINK_HPP_
