// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILED_FOR_HPP_
#define NEXUS_CPU_COMPILED_FOR_HPP_

#include "machine/processor.hpp"
#include "objects/shared_object.hpp"

#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// The name of the nexus_cpu_target constant in which a library says what it was compiled for.
inline constexpr std::string_view kCompiledFor = "nexus_cpu_compiled_for";

// Throws NXS_InvalidBinary if the library may use instructions that the processor lacks, which
// would crash the process. A library without that constant passes. path is empty for a library in
// memory.
void check_compiled_for(const SharedObject &object, const Processor &processor,
                        std::string_view path);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILED_FOR_HPP_
