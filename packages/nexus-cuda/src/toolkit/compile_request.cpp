// SPDX-License-Identifier: Apache-2.0
#include "toolkit/compile_request.hpp"

#include <algorithm>
#include <array>
#include <nexus-plugin/compile_checks.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

using nexus_plugin::CompileSettings;
using nexus_plugin::Error;

constexpr std::array<std::string_view, 4> kLanguageNames = {"nexus", "cuda", "ptx", "nvvm"};
constexpr std::array<std::string_view, 5> kCxxStandards = {"c++11", "c++14", "c++17", "c++20",
                                                           "c++23"};
constexpr std::string_view kDefaultCxxStandard = "c++17";

Language language_of(std::string_view name) {
  const auto found = std::find(kLanguageNames.begin(), kLanguageNames.end(), name);
  return static_cast<Language>(found - kLanguageNames.begin());
}

std::string read_cxx_standard(std::string_view given) {
  const std::string_view asked = given.empty() ? kDefaultCxxStandard : given;
  if (std::find(kCxxStandards.begin(), kCxxStandards.end(), asked) != kCxxStandards.end()) {
    return std::string(asked);
  }
  std::string list;
  for (const std::string_view known : kCxxStandards) {
    list += (list.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; for CUDA it is one of ",
              list);
}

std::string read_name_expression(std::string_view text) {
  constexpr std::string_view kForbidden("\n\r\0", 3);
  if (!text.empty() && text.find_first_of(kForbidden) == std::string_view::npos) {
    return std::string(text);
  }
  throw Error(NXS_InvalidCompilerOptions, "name_expressions has '", text,
              "'; give the name of a kernel in one line, such as 'scale<float>'");
}

// Options of C++ compilers only.
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
    out.name_expressions.push_back(read_name_expression(text));
  }
}

// Defines and include paths are left alone: one set of options serves programs in all languages.
void refuse_cxx_settings(const CompileSettings &settings) {
  if (!settings.standard.empty()) {
    throw Error(NXS_InvalidCompilerOptions, "standard is '", settings.standard, "'; the language '",
                settings.language, "' has none, leave it out");
  }
  nexus_plugin::check_no_name_expressions(
      settings.name_expressions, nexus_plugin::join("the language '", settings.language, "'"));
}

// The host begins each text with a "#line 1", which these languages don't know.
std::string_view without_line_directive(std::string_view text) {
  if (!text.starts_with("#line ")) return text;
  text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

struct RefusedWord {
  std::string_view word;  // the flag without its hyphens and value
  const char *why;
};

constexpr const char *kGivenAsTarget = "give the architecture and the kind of code as the target";
constexpr const char *kGivenAsStandard = "give it as the standard";
constexpr const char *kGivenAsFolders = "give folders as include_paths";
constexpr const char *kReadsFiles = "flags may not make the compiler read or write other files";
constexpr const char *kChosenHere = "the backend chooses what is compiled and what comes of it";
constexpr const char *kNeedsValue = "give the flag and its value as one text, such as '-DN=1'";

constexpr std::array kRefusedWords = {
    RefusedWord{"gpu-architecture", kGivenAsTarget},
    RefusedWord{"gpu-code", kGivenAsTarget},
    RefusedWord{"arch", kGivenAsTarget},
    RefusedWord{"code", kGivenAsTarget},
    RefusedWord{"gencode", kGivenAsTarget},
    RefusedWord{"generate-code", kGivenAsTarget},
    RefusedWord{"dlto", kGivenAsTarget},
    RefusedWord{"dlink-time-opt", kGivenAsTarget},
    RefusedWord{"lto", kGivenAsTarget},
    RefusedWord{"gen-opt-lto", kGivenAsTarget},
    RefusedWord{"std", kGivenAsStandard},
    RefusedWord{"include-path", kGivenAsFolders},
    RefusedWord{"I", kGivenAsFolders},
    RefusedWord{"isystem", kGivenAsFolders},
    RefusedWord{"pre-include", kReadsFiles},
    RefusedWord{"include", kReadsFiles},
    RefusedWord{"time", kReadsFiles},
    RefusedWord{"fdevice-time-trace", kReadsFiles},
    RefusedWord{"pch", kReadsFiles},
    RefusedWord{"create-pch", kReadsFiles},
    RefusedWord{"use-pch", kReadsFiles},
    RefusedWord{"pch-dir", kReadsFiles},
    RefusedWord{"o", kChosenHere},
    RefusedWord{"c", kChosenHere},
    RefusedWord{"r", kChosenHere},
    RefusedWord{"ptx", kChosenHere},
    RefusedWord{"optix-ir", kChosenHere},
    RefusedWord{"tile-ir", kChosenHere},
    RefusedWord{"verify", kChosenHere},
    RefusedWord{"D", kNeedsValue},
    RefusedWord{"U", kNeedsValue},
};

std::string_view word_of(std::string_view flag) {
  flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
  return flag.substr(0, flag.find_first_of("= "));
}

// NVRTC takes "-Ifolder" too.
bool is_joined_folder(std::string_view flag) {
  return flag.starts_with("-I");
}

const char *why_refused(std::string_view flag) {
  if (flag.size() < 2 || flag[0] != '-') {
    return "each option is a flag that begins with '-', with its value in one text";
  }
  if (flag.find('\0') != std::string_view::npos) return "it holds a zero byte";
  const std::string_view word = word_of(flag);
  for (const RefusedWord &refused : kRefusedWords) {
    if (word == refused.word) return refused.why;
  }
  return is_joined_folder(flag) ? kGivenAsFolders : nullptr;
}

// Flags that a user gives in the compiler's words, one with its value each. Refused are those that
// name what the backend names itself, and those that make the compiler read or write other files.
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

}  // namespace

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
  out.extra_flags = read_extra_flags(options);
  return out;
}

CompileRequest read_compile_request(const CompileDevice &device, const CompileSettings &settings) {
  nexus_plugin::check_language(settings.language, compile_languages(), "CUDA");
  CompileRequest out;
  static_cast<CodeSettings &>(out) =
      read_code_settings(settings.flags, settings.optimization, settings.options);
  out.source = settings.source;
  out.name = nexus_plugin::program_name(settings.name);
  out.language = language_of(settings.language);
  out.target = read_compile_target(settings.target, device);
  out.of_device = settings.target.empty();
  if (out.is_cxx()) {
    read_cxx_settings(out, settings);
  } else {
    refuse_cxx_settings(settings);
    out.source = without_line_directive(out.source);
  }
  return out;
}

}  // namespace nexus_cuda
