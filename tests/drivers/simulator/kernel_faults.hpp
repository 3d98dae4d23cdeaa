// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_KERNEL_FAULTS_HPP_
#define NEXUS_SIMULATOR_KERNEL_FAULTS_HPP_

#include "driver.hpp"

namespace simulator {

// From here on this thread runs a kernel's code: where that faults, failed is called on its stack,
// from stack downwards, and must not return.
void begin_kernel_code(void *stack, void (*failed)(Result failure));
void end_kernel_code();
// The stack that was passed to begin_kernel_code() on this thread.
void *kernel_stack();

// Takes the signals of faults, unless that was done; others' handlers still get what is not of a
// kernel.
void catch_faults_of_kernels();

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_KERNEL_FAULTS_HPP_
