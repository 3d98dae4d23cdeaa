// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_COMPILER_LOG_HPP_
#define NEXUS_CUDA_COMPILER_LOG_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

// NVRTC's words, with places as the other compilers and editors have them: "saxpy.c(3): error: ..."
// becomes "saxpy.c:3:7: error: ...", the column from the caret below.
std::string with_usual_places(std::string_view words);

// nvJitLink's words on PTX: "ptxas ... input, line 5; error   : ..." becomes "name:5: error: ...".
std::string with_places_in_ptx(std::string_view words, std::string_view name);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_COMPILER_LOG_HPP_
