// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_request.hpp"

#include "compile/extra_flag.hpp"

#include <array>
#include <nexus-plugin/compile_checks.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

struct Standard {
  std::string_view name;
  const char *spelling;  // one that older compilers know too
  bool cxx;
};

constexpr std::array kStandards = {
    Standard{"c99", "c99", false},    Standard{"gnu99", "gnu99", false},
    Standard{"c11", "c11", false},    Standard{"gnu11", "gnu11", false},
    Standard{"c17", "c17", false},    Standard{"gnu17", "gnu17", false},
    Standard{"c18", "c17", false},    Standard{"gnu18", "gnu17", false},
    Standard{"c23", "c2x", false},    Standard{"gnu23", "gnu2x", false},
    Standard{"c++11", "c++11", true}, Standard{"gnu++11", "gnu++11", true},
    Standard{"c++14", "c++14", true}, Standard{"gnu++14", "gnu++14", true},
    Standard{"c++17", "c++17", true}, Standard{"gnu++17", "gnu++17", true},
    Standard{"c++20", "c++20", true}, Standard{"gnu++20", "gnu++20", true},
    Standard{"c++23", "c++2b", true}, Standard{"gnu++23", "gnu++2b", true},
};
constexpr const char *kDefaultC = "gnu11";
constexpr const char *kDefaultCxx = "gnu++17";

std::string standards_of(bool cxx) {
  std::string list;
  for (const Standard &known : kStandards) {
    if (known.cxx == cxx) list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  return list;
}

std::string read_standard(std::string_view standard, bool cxx, std::string_view language) {
  if (standard.empty()) return cxx ? kDefaultCxx : kDefaultC;
  for (const Standard &known : kStandards) {
    if (known.name == standard && known.cxx == cxx) return known.spelling;
  }
  throw Error(NXS_InvalidCompilerOptions, "standard is '", standard, "'; for the language '",
              language, "' it is one of ", standards_of(cxx));
}

std::string read_define(std::string_view define) {
  nexus_plugin::check_define(define);
  return std::string(define);
}

std::string read_include_path(std::string_view path) {
  nexus_plugin::check_include_path(path);
  // Such paths have a special meaning to compilers: "-I-", "-I=usr".
  const bool special = path[0] == '-' || path[0] == '=' || path[0] == '$';
  return (special ? "./" : "") + std::string(path);
}

template <class Read>
std::vector<std::string> read_list(const std::vector<std::string_view> &texts, Read read) {
  std::vector<std::string> out;
  for (const std::string_view text : texts) out.push_back(read(text));
  return out;
}

}  // namespace

const std::vector<std::string> &compile_languages() {
  static const auto &all = *new std::vector<std::string>{"nexus", "c", "c++"};
  return all;
}

CompileRequest read_compile_request(const nexus_plugin::CompileSettings &given) {
  const std::string_view language = given.language;
  nexus_plugin::check_no_name_expressions(given.name_expressions, "the CPU backend");
  CompileRequest out{};
  out.portable = language == "nexus";
  nexus_plugin::check_language(language, compile_languages(), "the CPU");
  out.cxx = language == "c++";
  out.source = given.source;
  out.name = nexus_plugin::program_name(given.name);
  out.target = given.target;
  out.standard = read_standard(given.standard, out.cxx, language);
  nexus_plugin::check_optimization(given.optimization);
  out.optimization = given.optimization;
  nexus_plugin::check_compile_flags(given.flags, true);
  out.fast_math = (given.flags & NXS_CompileFlags_FastMath) != 0;
  out.debug = (given.flags & NXS_CompileFlags_Debug) != 0;
  out.line_info = (given.flags & NXS_CompileFlags_LineInfo) != 0;
  out.relocatable = (given.flags & NXS_CompileFlags_Relocatable) != 0;
  out.defines = read_list(given.defines, read_define);
  out.include_paths = read_list(given.include_paths, read_include_path);
  out.options = read_list(given.options, read_extra_flag);
  return out;
}

}  // namespace nexus_cpu
