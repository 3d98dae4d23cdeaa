// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_EXTRA_FLAG_HPP_
#define NEXUS_CPU_EXTRA_FLAG_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Checks a user's compiler flag, together with its value. Accepts flags that neither write files
// nor run programs (flag_kinds.hpp), and flags that the setting allow_options names. Refuses flags
// that the backend sets itself and flags of other backends' compilers. Throws
// NXS_InvalidCompilerOptions.
std::string read_extra_flag(std::string_view flag);

// Returns whether the flag names a library or a folder of libraries, and so must follow the
// program.
bool is_library_flag(std::string_view flag);

// Returns whether linking needs the flag too, as with -fopenmp, -flto and -m32. False for flags of
// fast mathematics, for which compilers link start-up code that changes the whole process.
bool is_linking_flag(std::string_view flag);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_EXTRA_FLAG_HPP_
