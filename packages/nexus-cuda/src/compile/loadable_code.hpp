// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_LOADABLE_CODE_HPP_
#define NEXUS_CUDA_LOADABLE_CODE_HPP_

#include "toolkit/code_format.hpp"
#include "toolkit/compile_target.hpp"
#include "toolkit/name_table.hpp"

#include <string>
#include <string_view>

namespace nexus_cuda NXS_HIDDEN {

// Code in a form that the driver loads: a cubin, a fatbin or PTX, with a zero byte behind it.
struct LoadableCode {
  std::string bytes;
  CodeFormat format;
  NameTable names;  // of kernels of templates
};

// Makes it of what a caller gives: LTO-IR and relocatable cubins are linked for the device, and
// NVVM IR is compiled. Throws NXS_InvalidBinary in words.
LoadableCode loadable_code(const CompileDevice &device, std::string_view given);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LOADABLE_CODE_HPP_
