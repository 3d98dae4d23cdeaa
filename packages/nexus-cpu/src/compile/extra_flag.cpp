// SPDX-License-Identifier: Apache-2.0
#include "compile/extra_flag.hpp"

#include "compile/flag_kinds.hpp"
#include "process/program_search.hpp"

#include <algorithm>
#include <array>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/host.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

constexpr const char *kAllowVariable = "NEXUS_CPU_ALLOW_OPTIONS";

struct Refused {
  std::string_view flag;
  bool whole;  // only the exact flag, not all with this prefix
  const char *why;
};

constexpr const char *kOurs = "the backend chooses what is compiled and where it is written";
constexpr const char *kNoCode = "no code is made with it";
constexpr const char *kTarget = "give the processor as the target";
constexpr const char *kStandard = "give it as the standard";
constexpr const char *kOpenCl = "it is a flag of OpenCL compilers, and this is the CPU's";
constexpr const char *kGpu = "it is a flag of GPU compilers, and this is the CPU's";
constexpr const char *kJoined = "give the flag and its value as one text, such as '-I/folder'";

// Flags that are always refused. The first match gives the reason.
constexpr std::array kRefused = {
    Refused{"--gpu-", false, kGpu},
    Refused{"--offload", false, kGpu},
    Refused{"--use_fast_math", false, kGpu},
    Refused{"-use_fast_math", false, kGpu},
    Refused{"--generate-", false, kGpu},
    Refused{"-gencode", false, kGpu},
    Refused{"--maxrregcount", false, kGpu},
    Refused{"-maxrregcount", false, kGpu},
    Refused{"-arch", false, kGpu},
    Refused{"-fmetal", false, kGpu},
    Refused{"-fcuda", false, kGpu},
    Refused{"-fgpu", false, kGpu},
    Refused{"-cl-", false, kOpenCl},
    Refused{"-c", true, kOurs},
    Refused{"-o", false, kOurs},
    Refused{"-x", false, kOurs},
    Refused{"-shared", false, kOurs},
    Refused{"-static", false, kOurs},
    Refused{"-pie", true, kOurs},
    Refused{"-r", true, kOurs},
    Refused{"-S", true, kNoCode},
    Refused{"-E", true, kNoCode},
    Refused{"-M", false, kNoCode},
    Refused{"-fsyntax-only", true, kNoCode},
    Refused{"-emit-", false, kNoCode},
    Refused{"-print-", false, kNoCode},
    Refused{"-march", false, kTarget},
    Refused{"-mcpu", false, kTarget},
    Refused{"-target", false, kTarget},
    Refused{"-std", false, kStandard},
    Refused{"-ansi", true, kStandard},
    // Without a value, these would consume the next flag.
    Refused{"-D", true, kJoined},
    Refused{"-U", true, kJoined},
    Refused{"-I", true, kJoined},
    Refused{"-L", true, kJoined},
    Refused{"-l", true, kJoined},
    Refused{"-F", true, kJoined},
    Refused{"-u", true, kJoined},
    Refused{"-z", true, kJoined},
    Refused{"-e", true, kJoined},
    Refused{"-G", true, kJoined},
    Refused{"-isystem", true, kJoined},
    Refused{"-iquote", true, kJoined},
    Refused{"-idirafter", true, kJoined},
    Refused{"-iprefix", true, kJoined},
    Refused{"-isysroot", true, kJoined},
    Refused{"-imultilib", true, kJoined},
    Refused{"-framework", true, kJoined},
};

[[noreturn]] void refuse_flag(std::string_view flag, const char *why) {
  throw Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
}

// Checks the setting allow_options: flags separated by blanks, quoted as in a shell; '*' at the end
// matches any text.
bool is_allowed_by_user(std::string_view flag) {
  const std::string allowed(nexus_plugin::get_config("allow_options"));
  const std::optional<std::vector<std::string>> words = split_words(allowed);
  if (!words) {
    throw Error(NXS_InvalidCompilerOptions, kAllowVariable, " is '", allowed,
                "', in which a quote or backslash is left open");
  }
  return std::any_of(words->begin(), words->end(), [&](std::string_view word) {
    const bool beginning = word.ends_with('*');
    return beginning ? flag.starts_with(word.substr(0, word.size() - 1)) : flag == word;
  });
}

}  // namespace

std::string read_extra_flag(std::string_view flag) {
  if (flag.size() < 2 || flag[0] != '-') {
    refuse_flag(flag, "each option is a flag that begins with '-', with its value in one text");
  }
  if (flag.find('\0') != std::string_view::npos) refuse_flag(flag, "it holds a zero byte");
  for (const Refused &refused : kRefused) {
    if (refused.whole ? flag == refused.flag : flag.starts_with(refused.flag)) {
      refuse_flag(flag, refused.why);
    }
  }
  if (!is_harmless_flag(flag) && !is_allowed_by_user(flag)) {
    throw Error(NXS_InvalidCompilerOptions, "options has '", flag,
                "': it is not one of the flags that are known to write no files and to run no "
                "programs (-O, -g, -W, -m, -D, -U, -I, -L, -l, and the -f flags that choose how "
                "code is made); to allow it set ",
                kAllowVariable, " to '", flag, "'");
  }
  return std::string(flag);
}

bool is_library_flag(std::string_view flag) {
  return flag.starts_with("-l") || flag.starts_with("-L");
}

bool is_linking_flag(std::string_view flag) {
  return (flag.starts_with("-f") || flag.starts_with("-m")) && flag != "-ffast-math" &&
         flag != "-funsafe-math-optimizations";
}

}  // namespace nexus_cpu
