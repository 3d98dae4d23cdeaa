// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_LAUNCH_HPP_
#define NEXUS_SIMULATED_CUDA_LAUNCH_HPP_

#include "library.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace simulated_cuda {

using Triple = std::array<uint32_t, 3>;

inline uint64_t product(const Triple &size) {
  return uint64_t{size[0]} * size[1] * size[2];
}

// A kernel with all that it is launched with, checked, on its own.
struct Launch {
  Context *context = nullptr;
  std::shared_ptr<HostObject> object;
  const nexus_simulated_kernel *code = nullptr;
  std::string name;
  Triple grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t shared = 0;
  bool cooperative = false, programmatic = false;
  std::vector<unsigned char> parameters;

  // Throws what the driver answers to them.
  void take_parameters(void **given, void **extra);
  // By a stream's thread, until the kernel has ended.
  CUresult run() const;
};

// Without parameters. Throws what the driver answers to a launch that can't be.
Launch launch_of(const Function &function, const CUlaunchConfig &config);

// Runs a block after the other on this thread. What the kernel failed with.
CUresult execute(const Launch &launch);

// How many blocks of that size a multiprocessor has room for.
int active_blocks(const Function &function, int block_size, size_t dynamic_shared);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_LAUNCH_HPP_
