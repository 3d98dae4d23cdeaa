// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_KERNEL_LAUNCH_HPP_
#define NEXUS_SIMULATED_CUDA_KERNEL_LAUNCH_HPP_

#include "../simulator/launch.hpp"

// Without parameters. Throws what the driver answers to a launch that can't be.
simulator::Launch launch_of(const simulator::Function &function, const CUlaunchConfig &config);

// One that a node of a graph can have too; throws where it is none.
void set_attribute(simulator::Launch &launch, CUlaunchAttributeID attribute,
                   const CUlaunchAttributeValue &value);

#endif  // NEXUS_SIMULATED_CUDA_KERNEL_LAUNCH_HPP_
