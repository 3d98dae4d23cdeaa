// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_request.hpp"

namespace nexus_hip NXS_HIDDEN {
namespace {

constexpr nexus_plugin::RefusedFlags kRefusedFlags[] = {
    {"give the architecture as the target",
     "offload-arch gpu-architecture cuda-gpu-arch mcpu march target"},
    {"give it as the standard", "std"},
    {nexus_plugin::kGivenAsFolders, "include-path I isystem* iquote* idirafter*"},
    {"flags may not make the compiler read or write other files",
     "include* imacros* save-temps* M* x* Xclang"},
    {"the backend chooses the kind of output", "o* c S E emit-llvm fgpu-rdc"},
    {"give the flag and its value as one text, such as '-DN=1'", "D U"}};

TargetId read_target(std::string_view asked, std::string_view own) {
  if (auto target = read_target_id(asked.empty() ? own : asked)) return std::move(*target);
  throw nexus_plugin::Error(NXS_InvalidValue, "target is '", asked, "'; give '", own,
                            "', or another architecture of AMD's such as 'gfx1100'");
}

}  // namespace

const std::vector<std::string> &compile_languages() {
  static const auto &all = *new std::vector<std::string>{"nexus", "hip"};
  return all;
}

CompileRequest read_compile_request(std::string_view own_target,
                                    const nexus_plugin::CompileSettings &settings) {
  nexus_plugin::check_language(settings.language, compile_languages(), "HIP");
  nexus_plugin::check_optimization(settings.optimization);
  nexus_plugin::check_compile_flags(settings.flags);
  CompileRequest out;
  static_cast<nexus_plugin::CxxSettings &>(out) = nexus_plugin::read_cxx_settings(settings, "HIP");
  out.source = settings.source;
  out.name = nexus_plugin::program_name(settings.name);
  out.target = read_target(settings.target, own_target);
  out.optimization = settings.optimization;
  out.fast_math = (settings.flags & NXS_CompileFlags_FastMath) != 0;
  out.debug = (settings.flags & NXS_CompileFlags_Debug) != 0;
  out.line_info = (settings.flags & NXS_CompileFlags_LineInfo) != 0 && !out.debug;
  out.extra_flags = nexus_plugin::read_extra_flags(settings.options, kRefusedFlags);
  return out;
}

}  // namespace nexus_hip
