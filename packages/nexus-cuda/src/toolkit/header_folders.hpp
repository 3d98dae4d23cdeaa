// SPDX-License-Identifier: Apache-2.0
// The headers of CUDA itself: cuda_fp16.h, cooperative_groups.h, cuda/std/...
#ifndef NEXUS_CUDA_HEADER_FOLDERS_HPP_
#define NEXUS_CUDA_HEADER_FOLDERS_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// The folders for a compiler of this major version of CUDA, of the configuration: those that the
// user names (NEXUS_CUDA_INCLUDE), else those that Python found. May be none.
std::vector<std::string> header_folders(int cuda_major);

// Changes when the headers do.
std::string header_identity(const std::vector<std::string> &folders);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_HEADER_FOLDERS_HPP_
