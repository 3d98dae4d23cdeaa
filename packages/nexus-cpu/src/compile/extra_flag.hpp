// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_EXTRA_FLAG_HPP_
#define NEXUS_CPU_EXTRA_FLAG_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// A flag that a user gives in the compiler's words, one with its value. Taken are those that
// neither write files nor run programs (flag_kinds.hpp), and those that the setting allow_options
// names. Refused are what the backend chooses itself and flags of other backends' compilers. Throws
// NXS_InvalidCompilerOptions.
std::string read_extra_flag(std::string_view flag);

// Returns whether the flag names a library or where libraries are, and so belongs behind the
// program.
bool is_library_flag(std::string_view flag);

// Returns whether linking needs the flag too, as with -fopenmp, -flto and -m32. Not so those of
// fast mathematics, for which compilers link start-up code that changes the whole process.
bool is_linking_flag(std::string_view flag);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_EXTRA_FLAG_HPP_
