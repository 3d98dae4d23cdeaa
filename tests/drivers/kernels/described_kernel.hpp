// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_DESCRIBED_KERNEL_HPP_
#define NEXUS_SIMULATED_DESCRIBED_KERNEL_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace simulated_kernels {

struct Parameter {
  uint32_t offset, size;
  bool pointer;
};

// What code tells of a kernel.
struct DescribedKernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameter_bytes = 0, max_threads = 0;  // 0: not bounded
  std::string description;  // the variable nexus_kernel_<name>, if it is of the portable language
};

// The kernels in a shared object of the host, in the order of the program. Throws
// std::runtime_error.
std::vector<DescribedKernel> kernels_in(const std::string &path);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_DESCRIBED_KERNEL_HPP_
