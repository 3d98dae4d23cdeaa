// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"

#include <algorithm>
#include <charconv>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

// Ignores defines and include paths, so that a caller may pass the same ones for all languages.
void refuse_cxx_settings(const CompileSettings &settings) {
  if (!settings.standard.empty()) {
    throw Error(NXS_InvalidCompilerOptions, "standard is '", settings.standard, "'; the language '",
                settings.language, "' has none, leave it out");
  }
  nexus_plugin::check_no_name_expressions(settings.name_expressions,
                                          join("the language '", settings.language, "'"));
}

constexpr nexus_plugin::RefusedFlags kRefusedFlags[] = {
    {"give the architecture and the kind of code as the target",
     "gpu-architecture gpu-code arch code gencode generate-code dlto dlink-time-opt lto "
     "gen-opt-lto"},
    {"give it as the standard", "std"},
    {nexus_plugin::kGivenAsFolders, "include-path I isystem"},
    {"flags may not make the compiler read or write other files",
     "pre-include include time fdevice-time-trace pch create-pch use-pch pch-dir"},
    {"the backend chooses the kind of output", "o c r ptx optix-ir tile-ir verify"},
    {"give the flag and its value as one text, such as '-DN=1'", "D U"}};

// The texts of each CodeKind, in the order of the enum.
constexpr struct {
  std::string_view prefix;
  const char *format;
} kKindNames[] = {{"sm_", "cubin"}, {"compute_", "ptx"}, {"lto_", "ltoir"}};

// Reads the rest of a target after its prefix, such as "90", "90a" or "100f". Returns whether it is
// valid.
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
              "' for code that is optimized when it is linked");
}

const std::vector<std::string> &compile_languages() {
  static const auto &all = *new std::vector<std::string>{"nexus", "cuda", "ptx", "nvvm"};
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
  out.extra_flags = nexus_plugin::read_extra_flags(options, kRefusedFlags);
  return out;
}

void add_ir_flags(std::vector<std::string> &flags, const CodeSettings &settings) {
  if (settings.fast_math) {
    flags.insert(flags.end(), {"-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=1"});
  }
  flags.insert(flags.end(), settings.extra_flags.begin(), settings.extra_flags.end());
}

namespace {

// Throws NXS_NotSupported (the language), NXS_InvalidCompilerOptions or NXS_InvalidValue (the
// target).
CompileRequest read_request(const Device &device, const CompileSettings &settings) {
  const std::vector<std::string> &languages = compile_languages();
  nexus_plugin::check_language(settings.language, languages, "CUDA");
  CompileRequest out;
  static_cast<CodeSettings &>(out) =
      read_code_settings(settings.flags, settings.optimization, settings.options);
  out.source = settings.source;
  out.name = nexus_plugin::program_name(settings.name);
  const auto found = std::find(languages.begin(), languages.end(), settings.language);
  out.language = static_cast<Language>(found - languages.begin());
  out.target = read_compile_target(settings.target, device);
  out.of_device = settings.target.empty();
  if (out.is_cxx()) {
    static_cast<nexus_plugin::CxxSettings &>(out) =
        nexus_plugin::read_cxx_settings(settings, "CUDA");
  } else {
    refuse_cxx_settings(settings);
    // The host begins each source with "#line 1", which these languages do not have.
    if (out.source.starts_with("#line ")) {
      out.source.remove_prefix(std::min(out.source.find('\n'), out.source.size() - 1) + 1);
    }
  }
  return out;
}

CompileDescription describe_program(const Device &device, const CompileSettings &settings) {
  CompileRequest request = read_request(device, settings);
  return request.is_cxx() ? describe_nvrtc(device, request) : describe_ir(request);
}

void compile_program(const Device &device, const CompileSettings &settings, const nxs_sink &code,
                     const nxs_sink &log) {
  CompileRequest request = read_request(device, settings);
  if (request.is_cxx()) {
    compile_with_nvrtc(device, request, code, log);
  } else {
    compile_ir(request, code, log);
  }
}

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_COMPILE(devices, describe_program(device_of(device), settings),
                     compile_program(device_of(device), settings, code, log))
