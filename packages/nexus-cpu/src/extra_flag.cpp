// SPDX-License-Identifier: Apache-2.0
#include "extra_flag.hpp"

#include <algorithm>
#include <array>
#include <nexus-plugin/error.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;

struct Refused {
  std::string_view flag;
  bool whole;  // only the flag itself, not what begins with it
  const char *why;
};

constexpr const char *kOurs = "the backend chooses what is compiled and where it is written";
constexpr const char *kOtherFiles = "flags may not make the compiler read or write other files";
constexpr const char *kPrograms = "flags may not run other programs or load plug-ins";
constexpr const char *kPassedOn = "flags are not passed on to the compiler's parts";
constexpr const char *kNoCode = "no code is made with it";
constexpr const char *kTarget = "give the processor as the target";
constexpr const char *kStandard = "give it as the standard";
constexpr const char *kOpenCl = "it is a flag of OpenCL compilers, and this is the CPU's";
constexpr const char *kGpu = "it is a flag of GPU compilers, and this is the CPU's";
constexpr const char *kJoined = "give the flag and its value as one text, such as '-I/folder'";

// The first that fits says why.
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
    Refused{"-dump", false, kOtherFiles},
    Refused{"-fdump", false, kOtherFiles},
    Refused{"-save-", false, kOtherFiles},
    Refused{"-aux", false, kOtherFiles},
    Refused{"-include", false, kOtherFiles},
    Refused{"-imacros", false, kOtherFiles},
    Refused{"-T", false, kOtherFiles},
    Refused{"-ftime-trace", false, kOtherFiles},
    Refused{"-fcrash-", false, kOtherFiles},
    Refused{"-index-", false, kOtherFiles},
    Refused{"-serialize-", false, kOtherFiles},
    Refused{"-working-directory", false, kOtherFiles},
    Refused{"-specs", false, kOtherFiles},
    Refused{"-B", false, kPrograms},
    Refused{"-fplugin", false, kPrograms},
    Refused{"-fpass-plugin", false, kPrograms},
    Refused{"-iplugin", false, kPrograms},
    Refused{"-wrapper", false, kPrograms},
    Refused{"-fuse-ld", false, kPrograms},
    Refused{"-load", false, kPrograms},
    Refused{"-Wl,", false, kPassedOn},
    Refused{"-Wa,", false, kPassedOn},
    Refused{"-Wp,", false, kPassedOn},
    Refused{"-X", false, kPassedOn},
    Refused{"-mllvm", false, kPassedOn},
    Refused{"-plugin", false, kPassedOn},
    Refused{"-march", false, kTarget},
    Refused{"-mcpu", false, kTarget},
    Refused{"-target", false, kTarget},
    Refused{"-std", false, kStandard},
    Refused{"-ansi", true, kStandard},
    // Alone these would take the next flag for their value.
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
  // Long spellings of the flags above; of the others there are short ones too.
  if (flag.starts_with("--") && !flag.starts_with("--param=")) {
    refuse_flag(flag, "of the flags with two hyphens only '--param=name=value' is taken");
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
