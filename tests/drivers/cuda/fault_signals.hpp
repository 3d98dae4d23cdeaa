// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_FAULT_SIGNALS_HPP_
#define NEXUS_SIMULATED_CUDA_FAULT_SIGNALS_HPP_

#include "types.hpp"

namespace simulated_cuda {

// From here on this thread runs a kernel's code: where that faults, failed is called on its stack,
// from stack downwards, and must not return.
void begin_kernel_code(void *stack, void (*failed)(CUresult failure));
void end_kernel_code();
// What it was begun with.
void *kernel_stack();

// Takes the signals of faults, unless that was done; others' handlers still get what is not of a
// kernel.
void catch_faults_of_kernels();

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_FAULT_SIGNALS_HPP_
