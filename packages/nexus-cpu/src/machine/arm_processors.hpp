// SPDX-License-Identifier: Apache-2.0
// Arm processors as Linux tells of them; read the same on every machine.
#ifndef NEXUS_CPU_ARM_PROCESSORS_HPP_
#define NEXUS_CPU_ARM_PROCESSORS_HPP_

#include "machine/arm_models.hpp"
#include "machine/processor.hpp"
#include "system/system_tree.hpp"

#include <map>

namespace nexus_cpu NXS_HIDDEN {

// Of each processor that is in use, by its number; empty where there are none of Arm.
std::map<unsigned, ArmSignature> read_arm_signatures(const SystemTree &tree);

// Without architecture and level where there are none of Arm.
Processor read_arm_processor(const SystemTree &tree);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_ARM_PROCESSORS_HPP_
