// SPDX-License-Identifier: Apache-2.0
// Programs that environment variables and the search path name.
#ifndef NEXUS_CPU_PROGRAM_SEARCH_HPP_
#define NEXUS_CPU_PROGRAM_SEARCH_HPP_

#include <nexus-api/nxs.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The value of an environment variable without spaces around it; empty where it is not set.
std::string environment_text(const char *name);

// Returns whether the path is a file that this user may run.
bool is_program(const std::string &path);

// The absolute path of the program that a word of a command line names, by PATH where it has no
// slash; empty where there is none.
std::string find_program(const std::string &word);

// The words of a command line, with a shell's quotes and backslashes and nothing else of a shell.
// Nothing where a quote is left open.
std::optional<std::vector<std::string>> split_words(std::string_view command);

// "clang" of "/usr/bin/clang".
std::string_view file_name(std::string_view path);

// The path with all symbolic links followed; as it is where that can't be done.
std::string real_path(const std::string &path);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_PROGRAM_SEARCH_HPP_
