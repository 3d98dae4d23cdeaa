// SPDX-License-Identifier: Apache-2.0
#include "compile_environment.hpp"

#include "program_search.hpp"

#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/host.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Whether the folder can be written, or made.
bool can_write_below(std::filesystem::path folder) {
  while (access(folder.c_str(), F_OK) != 0) {
    if (folder.empty() || folder == folder.parent_path()) return false;
    folder = folder.parent_path();
  }
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// Whether zig has a place for what it makes once a machine: its runtime.
bool zig_has_cache() {
  if (!environment_text("ZIG_GLOBAL_CACHE_DIR").empty()) return true;
  if (const std::string cache = environment_text("XDG_CACHE_HOME"); !cache.empty()) {
    return can_write_below(cache);
  }
  const std::string home = environment_text("HOME");
  return !home.empty() && can_write_below(home + "/.cache");
}

}  // namespace

double compile_timeout() {
  constexpr double kDefault = 300, kMost = 1e9;
  const std::string text(nexus_plugin::get_config("compile_timeout"));
  if (text.empty()) return kDefault;
  char *end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (*end == '\0' && seconds > 0 && seconds <= kMost) return seconds;
  throw nexus_plugin::Error(NXS_InvalidValue, kCompileTimeoutVariable, " is '", text,
                            "'; it must be a number of seconds above 0");
}

std::vector<std::string> compile_environment(CompilerKind compiler, const std::string &folder) {
  std::vector<std::string> variables = {"TMPDIR=" + folder};
  if (compiler == CompilerKind::zig) {
    variables.push_back("ZIG_LOCAL_CACHE_DIR=" + folder + "/zig-local");
    if (!zig_has_cache()) variables.push_back("ZIG_GLOBAL_CACHE_DIR=" + folder + "/zig-global");
  }
  return variables;
}

}  // namespace nexus_cpu
