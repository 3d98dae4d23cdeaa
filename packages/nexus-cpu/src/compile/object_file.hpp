// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_OBJECT_FILE_HPP_
#define NEXUS_CPU_OBJECT_FILE_HPP_

#include <nexus-api/nxs.h>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Throws NXS_InvalidBinary if a piece to be linked is no object file of this system.
void check_object_file(std::string_view bytes, std::string_view name);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_OBJECT_FILE_HPP_
