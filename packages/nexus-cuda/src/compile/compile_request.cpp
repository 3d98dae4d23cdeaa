// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

constexpr std::array<std::string_view, 4> kLanguageNames = {"nexus", "cuda", "ptx", "nvvm"};
// Defines and include paths are left alone: one set of options serves programs in all languages.
void refuse_cxx_settings(const CompileSettings &settings) {
  if (!settings.standard.empty()) {
    throw Error(NXS_InvalidCompilerOptions, "standard is '", settings.standard, "'; the language '",
                settings.language, "' has none, leave it out");
  }
  nexus_plugin::check_no_name_expressions(settings.name_expressions,
                                          join("the language '", settings.language, "'"));
}

const std::vector<nexus_plugin::RefusedFlags> &refused_flags() {
  static const auto &all = *new std::vector<nexus_plugin::RefusedFlags>{
      {"give the architecture and the kind of code as the target",
       {"gpu-architecture", "gpu-code", "arch", "code", "gencode", "generate-code", "dlto",
        "dlink-time-opt", "lto", "gen-opt-lto"}},
      {"give it as the standard", {"std"}},
      {nexus_plugin::kGivenAsFolders, {"include-path", "I", "isystem"}},
      {"flags may not make the compiler read or write other files",
       {"pre-include", "include", "time", "fdevice-time-trace", "pch", "create-pch", "use-pch",
        "pch-dir"}},
      {"the backend chooses what is compiled and what comes of it",
       {"o", "c", "r", "ptx", "optix-ir", "tile-ir", "verify"}},
      {"give the flag and its value as one text, such as '-DN=1'", {"D", "U"}}};
  return all;
}

// The prefix of a target and the format of its code, by CodeKind.
struct KindName {
  std::string_view prefix;
  const char *format;
};
constexpr KindName kKindNames[] = {{"sm_", "cubin"}, {"compute_", "ptx"}, {"lto_", "ltoir"}};

// Returns whether the rest behind "sm_" is "90", "90a" or "100f".
bool read_architecture(std::string_view rest, CompileTarget &out) {
  const char *const end = rest.data() + rest.size();
  const auto [at, failed] = std::from_chars(rest.data(), end, out.capability);
  out.variant.assign(at, end);
  const bool known_variant = out.variant.empty() || out.variant == "a" || out.variant == "f";
  return failed == std::errc() && out.capability >= 10 && known_variant;
}

}  // namespace

std::string CompileTarget::name_as(CodeKind other) const {
  return join(kKindNames[static_cast<std::size_t>(other)].prefix, capability, variant);
}

const char *CompileTarget::format() const {
  return kKindNames[static_cast<std::size_t>(kind)].format;
}

CompileTarget read_compile_target(std::string_view text, const Device &device) {
  const int own = device.compute_capability();
  CompileTarget target{CodeKind::machine, own, {}};
  if (text.empty()) return target;
  for (const CodeKind kind : {CodeKind::machine, CodeKind::ptx, CodeKind::lto_ir}) {
    target.kind = kind;
    const std::string_view prefix = kKindNames[static_cast<std::size_t>(kind)].prefix;
    if (text.starts_with(prefix) && read_architecture(text.substr(prefix.size()), target)) {
      return target;
    }
  }
  throw Error(NXS_InvalidValue, "target is '", text, "'; give 'sm_", own,
              "' for machine code of an architecture, 'compute_", own, "' for PTX, or 'lto_", own,
              "' for what is optimized when it is linked");
}

const std::vector<std::string> &compile_languages() {
  static const auto &all =
      *new std::vector<std::string>(kLanguageNames.begin(), kLanguageNames.end());
  return all;
}

CodeSettings read_code_settings(nxs_compile_flags flags, int32_t optimization,
                                const std::vector<std::string_view> &options) {
  nexus_plugin::check_optimization(optimization);
  nexus_plugin::check_compile_flags(flags, true);
  CodeSettings out;
  out.optimization = optimization;
  out.fast_math = (flags & NXS_CompileFlags_FastMath) != 0;
  out.debug = (flags & NXS_CompileFlags_Debug) != 0;
  out.line_info = (flags & NXS_CompileFlags_LineInfo) != 0 && !out.debug;
  out.relocatable = (flags & NXS_CompileFlags_Relocatable) != 0;
  out.extra_flags = nexus_plugin::read_extra_flags(options, refused_flags());
  return out;
}

void add_ir_flags(std::vector<std::string> &flags, const CodeSettings &settings) {
  if (settings.fast_math) {
    flags.insert(flags.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  }
  flags.insert(flags.end(), settings.extra_flags.begin(), settings.extra_flags.end());
}

CompileRequest read_compile_request(const Device &device, const CompileSettings &settings) {
  nexus_plugin::check_language(settings.language, compile_languages(), "CUDA");
  CompileRequest out;
  static_cast<CodeSettings &>(out) =
      read_code_settings(settings.flags, settings.optimization, settings.options);
  out.source = settings.source;
  out.name = nexus_plugin::program_name(settings.name);
  const auto found = std::find(kLanguageNames.begin(), kLanguageNames.end(), settings.language);
  out.language = static_cast<Language>(found - kLanguageNames.begin());
  out.target = read_compile_target(settings.target, device);
  out.of_device = settings.target.empty();
  if (out.is_cxx()) {
    static_cast<nexus_plugin::CxxSettings &>(out) = nexus_plugin::read_cxx_settings(
        settings, {"c++11", "c++14", "c++17", "c++20", "c++23"}, "CUDA");
  } else {
    refuse_cxx_settings(settings);
    // These languages don't know the "#line 1" that the host begins each text with.
    if (out.source.starts_with("#line ")) {
      out.source.remove_prefix(std::min(out.source.find('\n'), out.source.size() - 1) + 1);
    }
  }
  return out;
}

}  // namespace nexus_cuda
