// SPDX-License-Identifier: Apache-2.0
#include "toolkit/compile_request.hpp"

#include "toolkit/extra_flags.hpp"

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
