// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cstdlib>
#include <map>
#include <set>

namespace simulated_nvrtc {
namespace {

// Options by their names without dashes, of which there may be one or two.
const std::set<std::string> &switches_without_effect() {
  static const auto *const names = new std::set<std::string>{
      "device-debug", "G", "generate-line-info", "lineinfo", "use_fast_math", "w"};
  return *names;
}

// With a value: what the host's compiler is given for it, or "" where it has no effect.
const std::map<std::string, std::string> &options_for_host() {
  static const auto *const names =
      new std::map<std::string, std::string>{{"include-path", "-I"},
                                             {"I", "-I"},
                                             {"define-macro", "-D"},
                                             {"D", "-D"},
                                             {"U", "-U"},
                                             {"pre-include", "-include"},
                                             {"std", ""},
                                             {"fmad", ""},
                                             {"maxrregcount", ""},
                                             {"ftz", ""},
                                             {"prec-sqrt", ""},
                                             {"prec-div", ""},
                                             {"ptxas-options", ""},
                                             {"undefine-macro", "-U"}};
  return *names;
}

// "sm_90a": 90, and whether it is a real architecture.
bool read_architecture(const std::string &value, Options &options) {
  options.is_virtual = value.starts_with("compute_") || value.starts_with("lto_");
  if (!options.is_virtual && !value.starts_with("sm_")) return false;
  options.architecture = std::atoi(value.c_str() + value.find('_') + 1);
  return true;
}

// Returns what is wrong with the option; empty if nothing.
std::string take(const std::string &name, const std::string &value, Options &options) {
  const std::string wrong = "invalid value for " + name;
  if (name == "gpu-architecture" || name == "arch") {
    return read_architecture(value, options) ? "" : wrong;
  }
  if (name == "relocatable-device-code" || name == "rdc") {
    options.relocatable = value == "true";
    return value == "true" || value == "false" ? "" : wrong;
  }
  const auto known = options_for_host().find(name);
  if (known == options_for_host().end()) return "unrecognized option " + name + " found";
  if (known->second == "-include") {
    options.for_host.insert(options.for_host.end(), {known->second, value});
  } else if (!known->second.empty()) {
    options.for_host.push_back(known->second + value);
  }
  return "";
}

}  // namespace

std::string Options::read(int count, const char *const *given) {
  for (int i = 0; i < count; ++i) {
    const std::string option = given[i];
    std::string name = option.substr(option.find_first_not_of('-'));
    if (switches_without_effect().contains(name)) continue;
    if (name == "dlink-time-opt" || name == "dlto") {
      lto = true;
      continue;
    }
    std::string value;
    const bool joined = option[1] != '-' && std::string("IDU").find(name[0]) != std::string::npos;
    if (const size_t equals = name.find('='); joined && name.size() > 1) {
      value = name.substr(name[1] == '=' ? 2 : 1);
      name.resize(1);
    } else if (equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (++i < count) {
      value = given[i];
    } else {
      return "unrecognized option " + option + " found";
    }
    if (std::string wrong = take(name, value, *this); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace simulated_nvrtc
