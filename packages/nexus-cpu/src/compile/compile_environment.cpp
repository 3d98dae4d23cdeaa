// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_environment.hpp"

#include "process/program_search.hpp"

#include <unistd.h>
#include <cstdlib>
#include <filesystem>

namespace nexus_cpu NXS_HIDDEN {
namespace {

// Returns whether the folder is writable or can be created.
bool can_write_below(std::filesystem::path folder) {
  while (access(folder.c_str(), F_OK) != 0) {
    if (folder.empty() || folder == folder.parent_path()) return false;
    folder = folder.parent_path();
  }
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// Returns whether zig has a place to cache its runtime, which it builds once per machine.
bool zig_has_cache() {
  if (!environment_text("ZIG_GLOBAL_CACHE_DIR").empty()) return true;
  if (const std::string cache = environment_text("XDG_CACHE_HOME"); !cache.empty()) {
    return can_write_below(cache);
  }
  const std::string home = environment_text("HOME");
  return !home.empty() && can_write_below(home + "/.cache");
}

}  // namespace

std::vector<std::string> compile_environment(CompilerKind compiler, const std::string &folder) {
  // English messages, which libnexus parses, with names in UTF-8 if the system supports that.
  std::vector<std::string> variables = {"TMPDIR=" + folder, "LC_ALL=C.UTF-8", "LANGUAGE="};
  if (compiler == CompilerKind::zig) {
    variables.push_back("ZIG_LOCAL_CACHE_DIR=" + folder + "/zig-local");
    if (!zig_has_cache()) variables.push_back("ZIG_GLOBAL_CACHE_DIR=" + folder + "/zig-global");
  }
  return variables;
}

}  // namespace nexus_cpu
