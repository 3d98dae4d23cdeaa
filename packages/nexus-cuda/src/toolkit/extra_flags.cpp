// SPDX-License-Identifier: Apache-2.0
#include "toolkit/extra_flags.hpp"

#include <array>
#include <nexus-plugin/error.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

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

}  // namespace

std::vector<std::string> read_extra_flags(const std::vector<std::string_view> &flags) {
  std::vector<std::string> taken;
  for (const std::string_view flag : flags) {
    if (const char *const why = why_refused(flag)) {
      throw nexus_plugin::Error(NXS_InvalidCompilerOptions, "options has '", flag, "': ", why);
    }
    taken.emplace_back(flag);
  }
  return taken;
}

}  // namespace nexus_cuda
