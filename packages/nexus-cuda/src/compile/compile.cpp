// SPDX-License-Identifier: Apache-2.0
#include "compile/compile.hpp"

#include <algorithm>
#include <charconv>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

std::string read_cxx_standard(std::string_view given) {
  constexpr std::string_view kDefault = "c++17", kKnown = "c++11, c++14, c++17, c++20, c++23";
  if (given.empty()) return std::string(kDefault);
  if (given.size() == kDefault.size() && given.starts_with("c++") &&
      kKnown.find(given) != kKnown.npos) {
    return std::string(given);
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; for CUDA it is one of ",
              kKnown);
}

void read_cxx_settings(CompileRequest &out, const CompileSettings &settings) {
  out.standard = read_cxx_standard(settings.standard);
  for (const std::string_view define : settings.defines) {
    nexus_plugin::check_define(define);
    out.defines.emplace_back(define);
  }
  for (const std::string_view path : settings.include_paths) {
    nexus_plugin::check_include_path(path);
    out.include_paths.emplace_back(path);
  }
  for (const std::string_view text : settings.name_expressions) {
    constexpr std::string_view kForbidden("\n\r\0", 3);
    if (text.empty() || text.find_first_of(kForbidden) != std::string_view::npos) {
      throw Error(NXS_InvalidCompilerOptions, "name_expressions has '", text,
                  "'; give the name of a kernel in one line, such as 'scale<float>'");
    }
    out.name_expressions.emplace_back(text);
  }
}

// Ignores defines and include paths, so that a caller may pass the same ones for all languages.
void refuse_cxx_settings(const CompileSettings &settings) {
  if (!settings.standard.empty()) {
    throw Error(NXS_InvalidCompilerOptions, "standard is '", settings.standard, "'; the language '",
                settings.language, "' has none, leave it out");
  }
  nexus_plugin::check_no_name_expressions(settings.name_expressions,
                                          join("the language '", settings.language, "'"));
}

constexpr const char *kGivenAsFolders = "give folders as include_paths";

// Flags that are refused, without their hyphens and values, and why.
constexpr struct {
  const char *why, *words;
} kRefusedFlags[] = {
    {"give the architecture and the kind of code as the target",
     "gpu-architecture gpu-code arch code gencode generate-code dlto dlink-time-opt lto "
     "gen-opt-lto"},
    {"give it as the standard", "std"},
    {kGivenAsFolders, "include-path I isystem"},
    {"flags may not make the compiler read or write other files",
     "pre-include include time fdevice-time-trace pch create-pch use-pch pch-dir"},
    {"the backend chooses the kind of output", "o c r ptx optix-ir tile-ir verify"},
    {"give the flag and its value as one text, such as '-DN=1'", "D U"}};

// Returns why a flag is refused; NULL if it is not.
const char *why_refused(std::string_view flag) {
  if (flag.size() < 2 || flag[0] != '-') {
    return "each option is a flag that begins with '-', with its value in one text";
  }
  if (flag.find('\0') != std::string_view::npos) return "it holds a zero byte";
  std::string_view word = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  word = word.substr(0, word.find_first_of("= "));
  for (const auto &refused : kRefusedFlags) {
    const std::vector<std::string> words = nexus_plugin::split(refused.words, ' ');
    if (std::find(words.begin(), words.end(), word) != words.end()) return refused.why;
  }
  return flag.starts_with("-I") ? kGivenAsFolders : nullptr;  // NVRTC takes "-Ifolder" too
}

// Throws NXS_InvalidCompilerOptions.
std::vector<std::string> read_extra_flags(const std::vector<std::string_view> &flags) {
  std::vector<std::string> taken;
  for (const std::string_view flag : flags) {
    if (const char *const why = why_refused(flag)) {
      throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
    }
    taken.emplace_back(flag);
  }
  return taken;
}

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
  out.extra_flags = read_extra_flags(options);
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
    read_cxx_settings(out, settings);
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
