// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_FLAG_KINDS_HPP_
#define NEXUS_CPU_FLAG_KINDS_HPP_

#include <nexus-api/nxs.h>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Returns whether a compiler's flag is of a known kind that neither runs programs nor writes files:
// optimization and debugging levels, warnings, macros, search folders, libraries, features of the
// processor, and -f flags of code generation. Unknown flags are not, since gcc and clang have
// hundreds and each version adds some.
bool is_harmless_flag(std::string_view flag);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_FLAG_KINDS_HPP_
