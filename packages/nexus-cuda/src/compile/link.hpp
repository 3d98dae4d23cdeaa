// SPDX-License-Identifier: Apache-2.0
// One program of pieces that were compiled apart, by nvJitLink.
#ifndef NEXUS_CUDA_LINK_HPP_
#define NEXUS_CUDA_LINK_HPP_

#include "compile/compile_request.hpp"

#include <nexus-plugin/compile/compile.hpp>
#include <string>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// "nvJitLink 13.5". Throws NXS_LinkerNotAvailable.
std::string linker_title();

// The target and the options of a link.
struct LinkPlan {
  CompileTarget target;  // machine code or PTX
  std::vector<std::string> flags;
};

// The flags of nvJitLink for settings that programs have too.
std::vector<std::string> link_flags(const CompileTarget &target, const CodeSettings &settings);

// Makes code of pieces, whose formats are told by their content; NVVM IR is compiled first. Throws
// NXS_LinkProgramFailure, NXS_InvalidBinary (a piece that can't be linked), NXS_LinkerNotAvailable,
// NXS_InvalidCompilerOptions, NXS_InvalidValue (the target), NXS_Cancelled. log gets what the
// linker says, also where this throws.
std::string link_pieces(const LinkPlan &plan, const std::vector<LinkSettings::Piece> &pieces,
                        std::string &log);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LINK_HPP_
