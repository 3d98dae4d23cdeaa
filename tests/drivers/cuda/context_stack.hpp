// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_CONTEXT_STACK_HPP_
#define NEXUS_SIMULATED_CUDA_CONTEXT_STACK_HPP_

#include <vector>

namespace simulated_cuda {

class Context;

// Of this thread; the last is current.
std::vector<Context *> &context_stack();

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_CONTEXT_STACK_HPP_
