// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_LAUNCH_HPP_
#define NEXUS_SIMULATOR_LAUNCH_HPP_

#include "library.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace simulator {

using Triple = std::array<uint32_t, 3>;

inline uint64_t product(const Triple &size) {
  return uint64_t{size[0]} * size[1] * size[2];
}

// A kernel with all that it is launched with, on its own.
struct Launch {
  Launch(const Function &function, const Triple &grid_size, const Triple &block_size,
         uint32_t dynamic_shared);

  Context *context;
  std::shared_ptr<HostObject> object;
  const nexus_simulated_kernel *code;
  std::shared_ptr<const Interpreted> interpreted;
  std::string name;
  Triple grid, block, cluster{1, 1, 1};
  uint32_t shared;
  bool cooperative = false, programmatic = false;
  std::vector<unsigned char> parameters;

  // Throws what the driver answers to a launch that can't be.
  void check(const Function &function) const;
  // As the driver is given them: a pointer to each, or else a list that tells where all of them lie
  // in one place, and ends with a mark of the driver's.
  void take_parameters(void **given, void **extra);
  // By a stream's thread, until the kernel has ended.
  Result run() const;
};

// Runs a block after the other on this thread. What the kernel failed with.
Result execute(const Launch &launch);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_LAUNCH_HPP_
