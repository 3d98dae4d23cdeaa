// SPDX-License-Identifier: Apache-2.0
// Checks of the fields of nxs_compile_info, with the same messages in every backend.
#ifndef NEXUS_PLUGIN_COMPILE_CHECKS_HPP_
#define NEXUS_PLUGIN_COMPILE_CHECKS_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/near_names.hpp>
#include <nexus-plugin/compile/compile.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// Throws NXS_NotSupported if language is not in known. compiler: such as "the CPU", for the text.
inline void check_language(std::string_view language, const std::vector<std::string> &known,
                           std::string_view compiler) {
  if (std::find(known.begin(), known.end(), language) != known.end()) return;
  throw Error(NXS_NotSupported, "language is '", language, "'; ", compiler, " compiles ",
              detail::list_names(known));
}

// Throws NXS_InvalidCompilerOptions unless define is "NAME" or "NAME=value" and fits on a line
// "#define NAME value": the value must have no line break or zero byte, nor a backslash at its end,
// which would join it with the next line.
inline void check_define(std::string_view define) {
  const auto is_word_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const std::string_view name = define.substr(0, define.find('='));
  const bool word = !name.empty() && std::all_of(name.begin(), name.end(), is_word_character) &&
                    (name[0] < '0' || name[0] > '9');
  if (!word) {
    throw Error(NXS_InvalidCompilerOptions, "defines has '", define,
                "'; a name of letters, digits and underscores is needed, alone or before '='");
  }
  const std::string_view forbidden("\n\r\0", 3);
  if (define.find_first_of(forbidden) != std::string_view::npos || define.ends_with('\\')) {
    throw Error(NXS_InvalidCompilerOptions, "defines: the value of '", name,
                "' holds a line's end or a zero byte, or ends with a backslash");
  }
}

// Throws NXS_InvalidCompilerOptions if the path is empty or has a zero byte.
inline void check_include_path(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    throw Error(NXS_InvalidCompilerOptions, "include_paths has '", path,
                "', which is not the path of a folder");
  }
}

// Returns a #define line for each of the defines, which are checked: "NAME" or "NAME=value".
template <class Texts>
std::string define_lines(const Texts &defines) {
  std::string lines;
  for (const std::string_view define : defines) {
    const std::size_t equal = std::min(define.find('='), define.size());
    const bool has_value = equal != define.size();
    lines += join("#define ", define.substr(0, equal), " ",
                  has_value ? define.substr(equal + 1) : "1", "\n");
  }
  return lines;
}

inline void check_optimization(int32_t level) {
  if (level >= 0 && level <= 3) return;
  throw Error(NXS_InvalidCompilerOptions, "optimization is ", level, "; it must be 0 to 3");
}

// Throws NXS_InvalidCompilerOptions for unknown flags. relocatable: whether the backend has
// nxsLinkProgram.
inline void check_compile_flags(nxs_compile_flags flags, bool relocatable = false) {
  constexpr nxs_compile_flags known =
      NXS_CompileFlags_FastMath | NXS_CompileFlags_Debug | NXS_CompileFlags_LineInfo;
  if (relocatable) flags &= ~NXS_CompileFlags_Relocatable;
  if ((flags & ~known) == 0) return;
  if ((flags & NXS_CompileFlags_Relocatable) != 0) {
    throw Error(NXS_InvalidCompilerOptions,
                "flags has relocatable, and the backend links no programs; compile the pieces as "
                "one program");
  }
  throw Error(NXS_InvalidCompilerOptions,
              "flags has bits that the backend does not know: ", flags & ~known, "; it knows ",
              known);
}

// Throws NXS_InvalidCompilerOptions if there are any: for a backend without name expressions.
inline void check_no_name_expressions(const std::vector<std::string_view> &expressions,
                                      std::string_view compiler) {
  if (expressions.empty()) return;
  throw Error(NXS_InvalidCompilerOptions, "name_expressions has '", expressions.front(), "', and ",
              compiler, " has none; give each kernel a name of its own in the program");
}

// The options for a C++ compiler, checked.
struct CxxSettings {
  std::string standard;                       // "c++17"
  std::vector<std::string> defines;           // "NAME" or "NAME=value"
  std::vector<std::string> include_paths;     // the caller's
  std::vector<std::string> name_expressions;  // kernels of templates
};

// backend: its name, for messages. Throws NXS_InvalidCompilerOptions.
inline CxxSettings read_cxx_settings(const CompileSettings &settings, std::string_view backend) {
  constexpr std::string_view kDefault = "c++17", kKnown = "c++11, c++14, c++17, c++20, c++23";
  const std::string_view given = settings.standard;
  CxxSettings out;
  out.standard = given.empty() ? kDefault : given;
  if (out.standard.size() != kDefault.size() || !out.standard.starts_with("c++") ||
      kKnown.find(out.standard) == kKnown.npos) {
    throw Error(NXS_InvalidCompilerOptions, "standard is '", given, "'; for ", backend,
                " it is one of ", kKnown);
  }
  for (const std::string_view define : settings.defines) {
    check_define(define);
    out.defines.emplace_back(define);
  }
  for (const std::string_view path : settings.include_paths) {
    check_include_path(path);
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
  return out;
}

// Flags that are refused, without their hyphens and values, separated by blanks, and why. A word
// that ends with '*' stands for all that begin so, such as "-ofile".
struct RefusedFlags {
  const char *why, *words;
};

inline constexpr const char *kGivenAsFolders = "give folders as include_paths";

// Returns why a flag is refused; NULL if it is not.
inline const char *why_flag_refused(std::string_view flag, std::span<const RefusedFlags> all) {
  if (flag.size() < 2 || flag[0] != '-') {
    return "each option is a flag that begins with '-', with its value in one text";
  }
  if (flag.find('\0') != std::string_view::npos) return "it holds a zero byte";
  std::string_view word = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  word = word.substr(0, word.find_first_of("= "));
  for (const RefusedFlags &refused : all) {
    for (const std::string &each : split(refused.words, ' ')) {
      const bool all_such = each.ends_with('*');
      if (all_such ? word.starts_with(each.substr(0, each.size() - 1)) : word == each) {
        return refused.why;
      }
    }
  }
  return flag.starts_with("-I") ? kGivenAsFolders : nullptr;  // compilers take "-Ifolder" too
}

// Returns the caller's own flags. Throws NXS_InvalidCompilerOptions for a refused one.
inline std::vector<std::string> read_extra_flags(const std::vector<std::string_view> &flags,
                                                 std::span<const RefusedFlags> refused) {
  std::vector<std::string> taken;
  for (const std::string_view flag : flags) {
    if (const char *const why = why_flag_refused(flag, refused)) {
      throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
    }
    taken.emplace_back(flag);
  }
  return taken;
}

// Returns the name of a program for messages, with a question mark for each control character.
inline std::string program_name(std::string_view name) {
  if (name.empty()) return "program";
  std::string shown(name);
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return shown;
}

// Returns a "#line 1" directive with the program's name, to be put before its first line.
inline std::string line_directive(std::string_view name) {
  std::string out = "#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\' || c == '?') out += '\\';
    out += c;
  }
  return out + "\"\n";
}

// Returns how many seconds a compiler may take: the configuration key compile_timeout, or 300 if it
// is not set. variable: the name of the setting, for the message. Throws NXS_InvalidValue unless it
// is a number above 0, up to 1e9.
inline double compile_timeout(std::string_view variable) {
  constexpr double kDefault = 300, kMost = 1e9;
  const std::string text(get_config("compile_timeout"));
  if (text.empty()) return kDefault;
  char *end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (*end == '\0' && seconds > 0 && seconds <= kMost) return seconds;
  throw Error(NXS_InvalidValue, variable, " is '", text,
              "'; it must be a number of seconds above 0");
}

// Returns a compiler's output, cut to the length of an error's text, with a newline at its end.
inline std::string words_for_error(const std::string &words) {
  constexpr std::size_t kMost = std::size_t{1} << 14;  // bytes; the log has all
  if (words.empty()) return "it says nothing of why\n";
  std::string out = words.substr(0, kMost);
  if (words.size() > out.size()) out = valid_utf8(out) + "\n... the log has the rest";
  if (out.back() != '\n') out += '\n';
  return out;
}

// Returns a line such as "The flags were: -O3 -g".
inline std::string flags_line(const std::vector<std::string> &flags) {
  return "The flags were: " + joined_by(" ", flags);
}

// Returns the error for a program that a compiler refuses, with what the compiler says. native: the
// compiler's own number.
inline Error compile_failure(int native, std::string_view name, std::string_view compiler,
                             const std::string &words, const std::vector<std::string> &flags) {
  return Error::with_native_code(native, NXS_CompileProgramFailure, "'", name,
                                 "' could not be compiled by ", compiler, ":\n",
                                 words_for_error(words), flags_line(flags));
}

// The same for flags that it refuses.
inline Error options_failure(int native, std::string_view compiler, const std::string &words,
                             const std::vector<std::string> &flags) {
  return Error::with_native_code(native, NXS_InvalidCompilerOptions, compiler,
                                 " refuses the options:\n", words_for_error(words),
                                 flags_line(flags));
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_COMPILE_CHECKS_HPP_
