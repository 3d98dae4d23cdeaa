// SPDX-License-Identifier: Apache-2.0
// Work that a stream and a node of a graph can have.
#ifndef NEXUS_SIMULATED_HIP_WORK_HPP_
#define NEXUS_SIMULATED_HIP_WORK_HPP_

#include "../simulator/launch.hpp"
#include "../simulator/transfer.hpp"

namespace simulator {

// Throw what HIP answers to work that can't be.
Copy copy_of(void *to, const void *from, size_t size, hipMemcpyKind kind);
// parameters or extra: the arguments, as HIP is given them.
Launch launch_of(Call &call, void *function, const dim3 &grid, const dim3 &block, unsigned shared,
                 bool cooperative, void **parameters, void **extra);

}  // namespace simulator

#endif  // NEXUS_SIMULATED_HIP_WORK_HPP_
