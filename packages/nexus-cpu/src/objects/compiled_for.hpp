// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_COMPILED_FOR_HPP_
#define NEXUS_CPU_COMPILED_FOR_HPP_

#include "machine/processor.hpp"
#include "objects/shared_object.hpp"

#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// Under this name a library says what it was compiled for, as a nexus_cpu_target.
inline constexpr std::string_view kCompiledFor = "nexus_cpu_compiled_for";

// Throws NXS_InvalidBinary where the library may use instructions that the processor lacks, and
// would end the process when it runs. A library that does not say passes. path: empty for memory.
void check_compiled_for(const SharedObject &object, const Processor &processor,
                        std::string_view path);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_COMPILED_FOR_HPP_
