// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUBIN_HPP_
#define NEXUS_SIMULATED_CUBIN_HPP_

#include "described_kernel.hpp"

#include <string>
#include <vector>

namespace simulated_kernels {

// Code for the simulated driver, which looks like code for NVIDIA's GPUs.
struct Code {
  std::string object;  // a shared object of the host, or one to be linked
  std::vector<DescribedKernel> kernels;
  int architecture;  // major * 10 + minor
  bool relocatable = false;
};

// An ELF file for CUDA with the kernels' names as symbols and the object in a section of its own.
std::string cubin_of(const Code &code);
// PTX whose entries do nothing, with the object in a comment.
std::string ptx_of(const Code &code, int ptx_version);
// The first bytes of LTO-IR, which only a linker takes.
std::string lto_ir_of(const Code &code);

// The object in any of them; empty if there is none.
std::string object_in(const std::string &bytes);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_CUBIN_HPP_
