// SPDX-License-Identifier: Apache-2.0
#include "compile_request.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nexus-plugin/compile_checks.hpp>

namespace nexus_opencl NXS_HIDDEN {
namespace {

using nexus_plugin::CompileSettings;
using nexus_plugin::Error;
using nexus_plugin::join;

struct Standard {
  std::string_view name;
  int version;  // of OpenCL C, major * 10 + minor
};

constexpr std::array kStandards = {Standard{"CL1.1", 11}, Standard{"CL1.2", 12},
                                   Standard{"CL2.0", 20}, Standard{"CL3.0", 30}};
// What every device takes, and what OpenCL's compilers choose themselves.
constexpr std::string_view kDefaultStandard = "CL1.2";

struct RefusedFlag {
  std::string_view flag;
  const char *why;
};

constexpr const char *kOurChoice = "the backend chooses what is compiled and where it is written";
constexpr const char *kOtherFiles = "flags may not make the compiler read or write other files";
constexpr std::array kRefusedFlags = {
    RefusedFlag{"-cl-std", "give it as the standard"},
    RefusedFlag{"-I", "give folders as include_paths"},
    RefusedFlag{"-o", kOurChoice},
    RefusedFlag{"-x", kOurChoice},
    RefusedFlag{"-create-library", kOurChoice},
    RefusedFlag{"-s", kOtherFiles},
    RefusedFlag{"-include", kOtherFiles},
    RefusedFlag{"-imacros", kOtherFiles},
    RefusedFlag{"-isystem", kOtherFiles},
    RefusedFlag{"-dump", kOtherFiles},
    RefusedFlag{"-fplugin", kOtherFiles},
    RefusedFlag{"-Xclang", kOtherFiles},
    RefusedFlag{"-mllvm", kOtherFiles},
};

bool has_space(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0' || c == '"';
  });
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string standard_flag(const Device &device, std::string_view given) {
  const std::string_view asked = given.empty() ? kDefaultStandard : given;
  std::string list;
  for (const Standard &known : kStandards) {
    if (known.version > std::max(device.c_version(), 12)) continue;
    if (same_letters(known.name, asked)) return join("-cl-std=", known.name);
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; the device '", device.name(),
              "' has ", list);
}

std::string extra_flag(std::string_view flag) {
  const char *why = nullptr;
  if (flag.size() < 2 || flag[0] != '-') {
    why = "each option is a flag that begins with '-', with its value in one text";
  } else if (has_space(flag)) {
    why = "OpenCL's compilers take no white space and no quotes in an option";
  }
  for (const RefusedFlag &refused : kRefusedFlags) {
    if (why == nullptr && flag.starts_with(refused.flag)) why = refused.why;
  }
  if (flag == "-D" || flag == "-U") why = "give the flag and its value as one text";
  if (why != nullptr) {
    throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
  }
  return std::string(flag);
}

void check_target(const Device &device, std::string_view target) {
  const std::string own = architecture_of(device);
  if (target.empty() || target == own) return;
  throw Error(NXS_InvalidValue, "target is '", target, "'; the driver of '", device.name(),
              "' compiles for that device alone, which is '", own, "'");
}

// Both PoCL and Intel's runtime are known to take it; other compilers may refuse the program.
bool takes_debug_flag(const Device &device) {
  const std::string &name = device.platform().name();
  return name.find("Portable Computing Language") != std::string::npos ||
         name.find("Intel") != std::string::npos;
}

void add_include_paths(CompileRequest &request, const CompileSettings &settings) {
  for (const std::string_view path : settings.include_paths) {
    nexus_plugin::check_include_path(path);
    if (has_space(path)) {
      request.left_out.emplace_back(path);
    } else {
      request.flags.push_back(join("-I", path));
    }
  }
}

}  // namespace

const std::vector<std::string> &compile_languages() {
  static const auto &all = *new std::vector<std::string>{"nexus", "opencl"};
  return all;
}

CompileRequest read_compile_request(const Device &device, const CompileSettings &settings) {
  if (!device.has_compiler()) {
    throw Error(NXS_CompilerNotAvailable, "the driver of '", device.name(),
                "' has no compiler; load a binary of the device");
  }
  nexus_plugin::check_language(settings.language, compile_languages(), "OpenCL");
  check_target(device, settings.target);
  nexus_plugin::check_optimization(settings.optimization);
  nexus_plugin::check_compile_flags(settings.flags);
  nexus_plugin::check_no_name_expressions(settings.name_expressions, "OpenCL C");
  CompileRequest out{};
  out.source = settings.source;
  out.name = nexus_plugin::program_name(settings.name);
  out.portable = settings.language == "nexus";
  out.flags = {standard_flag(device, settings.standard), "-cl-kernel-arg-info"};
  if (settings.optimization == 0) out.flags.emplace_back("-cl-opt-disable");
  if ((settings.flags & NXS_CompileFlags_FastMath) != 0) {
    out.flags.emplace_back("-cl-fast-relaxed-math");
  }
  if ((settings.flags & NXS_CompileFlags_Debug) != 0 && takes_debug_flag(device)) {
    out.flags.emplace_back("-g");
  }
  add_include_paths(out, settings);
  for (const std::string_view define : settings.defines) {
    nexus_plugin::check_define(define);
    out.defines.emplace_back(define);
  }
  out.has_extra_flags = !settings.options.empty();
  for (const std::string_view option : settings.options) out.flags.push_back(extra_flag(option));
  return out;
}

std::vector<std::string> CompileRequest::shown_flags() const {
  std::vector<std::string> shown = flags;
  for (const std::string &define : defines) shown.push_back("-D" + define);
  return shown;
}

std::string CompileRequest::option_line() const {
  std::string line;
  for (const std::string &flag : flags) line += (line.empty() ? "" : " ") + flag;
  return line;
}

std::string CompileRequest::text() const {
  std::string out;
  for (const std::string &define : defines) {
    const std::size_t equal = define.find('=');
    const bool has_value = equal != std::string::npos;
    out += "#define " + define.substr(0, equal) + " " +
           (has_value ? define.substr(equal + 1) : "1") + "\n";
  }
  out += nexus_plugin::line_directive(name);
  out += source;
  return out;
}

}  // namespace nexus_opencl
