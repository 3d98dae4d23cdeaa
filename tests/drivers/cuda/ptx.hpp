// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_PTX_HPP_
#define NEXUS_SIMULATED_CUDA_PTX_HPP_

#include "../simulator/library.hpp"

#include <memory>
#include <string>

// Makes a kernel of a program in PTX whose instructions are run one by one, in one thread: the few
// that a kernel needs which decides in graphs. Throws CUDA_ERROR_INVALID_PTX for any other.
std::shared_ptr<const simulator::Interpreted> interpret_ptx(const std::string &text,
                                                            const std::string &name);

#endif  // NEXUS_SIMULATED_CUDA_PTX_HPP_
