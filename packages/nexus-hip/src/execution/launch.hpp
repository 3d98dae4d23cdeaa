// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_HIP_LAUNCH_HPP_
#define NEXUS_HIP_LAUNCH_HPP_

#include "execution/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <nexus-plugin/kernel/launch.hpp>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

// A launch of a kernel, as HIP takes it.
class LaunchCall {
 public:
  LaunchCall() = default;
  // parameters: their addresses, which outlive this, as the kernel does.
  LaunchCall(const Kernel &kernel, const nexus_plugin::Launch &launch, uint64_t dynamic_shared,
             std::vector<void *> parameters);

  hipError_t enqueue(hipStream_t stream) noexcept;
  bool cooperative() const noexcept { return launch_.cooperative(); }
  // Returns the launch as parameters of a graph's node, which HIP copies; valid until the next call
  // of this. Not for a cooperative one.
  hipKernelNodeParams node() noexcept;

 private:
  // Returns the parameters as HIP's `extra`.
  void **pack() noexcept;

  const Kernel *kernel_ = nullptr;
  nexus_plugin::Launch launch_;
  unsigned dynamic_shared_ = 0;
  std::vector<void *> parameters_;
  std::vector<std::byte> packed_;  // the parameters as the kernel finds them
  std::size_t packed_size_ = 0;
  void *extra_[5] = {};
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_LAUNCH_HPP_
