// SPDX-License-Identifier: Apache-2.0
// The device's tree-valued properties, as JSON with the keys and the order of
// schema/device_info.schema.json. Unknown values are left out.
#ifndef NEXUS_CPU_DEVICE_JSON_HPP_
#define NEXUS_CPU_DEVICE_JSON_HPP_

#include "machine/machine.hpp"
#include "machine/processor.hpp"

#include <string>

namespace nexus_cpu NXS_HIDDEN {

std::string core_json(const Processor &processor, const Machine &machine);
// memory_size: bytes of the main memory; 0 if unknown.
std::string memory_json(const Machine &machine, uint64_t memory_size);
std::string kernel_model_json(const Processor &processor);
// max_buffer_size: bytes.
std::string limits_json(uint64_t max_buffer_size);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_DEVICE_JSON_HPP_
