// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FLAG_KINDS_HPP_
#define NEXUS_CPU_FLAG_KINDS_HPP_

#include <nexus-api/nxs.h>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Returns whether a compiler's flag is of a kind that neither runs programs nor writes files:
// levels of optimization and debugging, warnings, macros, folders to search, libraries, features of
// the processor, and those -f flags that choose how code is made. gcc and clang have hundreds of
// flags and each version adds some: what is not known here is not of such a kind.
bool is_harmless_flag(std::string_view flag);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FLAG_KINDS_HPP_
