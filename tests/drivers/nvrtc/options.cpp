// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

namespace simulated_nvrtc {
namespace {

// Those that have no value, or "=true", and change nothing here.
constexpr std::array<std::string_view, 26> kSwitches = {"--device-debug",
                                                        "-G",
                                                        "--generate-line-info",
                                                        "-lineinfo",
                                                        "--use_fast_math",
                                                        "-use_fast_math",
                                                        "--extra-device-vectorization",
                                                        "-extra-device-vectorization",
                                                        "--disable-warnings",
                                                        "-w",
                                                        "--restrict",
                                                        "-restrict",
                                                        "--device-as-default-execution-space",
                                                        "-default-device",
                                                        "--no-source-include",
                                                        "-no-source-include",
                                                        "--pch",
                                                        "-pch",
                                                        "--modify-stack-limit",
                                                        "--display-error-number",
                                                        "-err-no",
                                                        "--no-display-error-number",
                                                        "-no-err-no",
                                                        "--device-int128",
                                                        "-device-int128",
                                                        "--dopt"};

// Those that have one: their first words, and what the option is.
const std::map<std::string, std::string> &with_value() {
  static const auto *const names =
      new std::map<std::string, std::string>{{"--gpu-architecture", "arch"},
                                             {"-arch", "arch"},
                                             {"--std", "ignored"},
                                             {"-std", "ignored"},
                                             {"--include-path", "-I"},
                                             {"-I", "-I"},
                                             {"--define-macro", "-D"},
                                             {"-D", "-D"},
                                             {"--undefine-macro", "-U"},
                                             {"-U", "-U"},
                                             {"--pre-include", "-include"},
                                             {"-include", "-include"},
                                             {"--relocatable-device-code", "rdc"},
                                             {"-rdc", "rdc"},
                                             {"--maxrregcount", "ignored"},
                                             {"-maxrregcount", "ignored"},
                                             {"--fmad", "ignored"},
                                             {"-fmad", "ignored"},
                                             {"--ftz", "ignored"},
                                             {"-ftz", "ignored"},
                                             {"--prec-sqrt", "ignored"},
                                             {"-prec-sqrt", "ignored"},
                                             {"--prec-div", "ignored"},
                                             {"-prec-div", "ignored"},
                                             {"--ptxas-options", "ignored"},
                                             {"-Xptxas", "ignored"},
                                             {"--builtin-initializer-list", "ignored"},
                                             {"--dopt", "ignored"},
                                             {"-dopt", "ignored"},
                                             {"--diag-suppress", "ignored"},
                                             {"-diag-suppress", "ignored"},
                                             {"--diag-error", "ignored"},
                                             {"-diag-error", "ignored"},
                                             {"--split-compile", "ignored"},
                                             {"-split-compile", "ignored"},
                                             {"--minimal", "ignored"}};
  return *names;
}

bool starts_with(const std::string &text, const std::string &prefix) {
  return text.rfind(prefix, 0) == 0;
}

// "sm_90a": 90, and whether it is a real architecture.
bool read_architecture(const std::string &value, Options &options) {
  options.is_virtual = starts_with(value, "compute_") || starts_with(value, "lto_");
  if (!options.is_virtual && !starts_with(value, "sm_")) return false;
  options.architecture = std::atoi(value.c_str() + value.find('_') + 1);
  return true;
}

bool take(const std::string &kind, const std::string &value, Options &options) {
  if (kind == "arch") return read_architecture(value, options);
  if (kind == "rdc") {
    options.relocatable = value == "true";
    return value == "true" || value == "false";
  }
  if (kind == "ignored") return true;
  if (kind == "-include") {
    options.for_host.push_back(kind);
    options.for_host.push_back(value);
  } else {
    options.for_host.push_back(kind + value);
  }
  return true;
}

}  // namespace

std::string Options::read(int count, const char *const *given) {
  for (int i = 0; i < count; ++i) {
    const std::string option = given[i];
    if (std::find(kSwitches.begin(), kSwitches.end(), option) != kSwitches.end()) continue;
    if (option == "--dlink-time-opt" || option == "-dlto") {
      lto = true;
      continue;
    }
    if (option == "--device-c" || option == "-dc") {
      relocatable = true;
      continue;
    }
    const size_t equals = option.find('=');
    std::string name = option.substr(0, equals);
    std::string value = equals == std::string::npos ? "" : option.substr(equals + 1);
    const bool joined =
        option.size() > 2 &&
        (starts_with(option, "-I") || starts_with(option, "-D") || starts_with(option, "-U"));
    if (joined) {
      name = option.substr(0, 2);
      value = option.substr(option[2] == '=' ? 3 : 2);
    }
    const auto known = with_value().find(name);
    if (known == with_value().end()) return "unrecognized option " + option + " found";
    if (equals == std::string::npos && !joined) {
      if (++i == count) return option + " is missing its value";
      value = given[i];
    }
    if (!take(known->second, value, *this)) return "invalid value for " + option;
  }
  return {};
}

}  // namespace simulated_nvrtc
