// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_LAUNCH_CALL_HPP_
#define NEXUS_CUDA_LAUNCH_CALL_HPP_

#include "execution/kernel.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// A launch of a kernel, as the driver takes it.
class LaunchCall {
 public:
  LaunchCall() = default;
  // parameters: their addresses, which outlive this.
  LaunchCall(const Kernel &kernel, const Launch &launch, uint64_t dynamic_shared,
             std::vector<void *> parameters);

  CUresult enqueue(CUstream stream) noexcept {
    config_.hStream = stream;
    return cu.LaunchKernelEx(&config_, function_, parameters_.data(), nullptr);
  }
  // Returns the launch as parameters of a graph's node, valid as long as this. The node gets
  // attributes() too.
  CUDA_KERNEL_NODE_PARAMS node() const noexcept;
  std::span<const CUlaunchAttribute> attributes() const noexcept { return attributes_; }

 private:
  CUfunction function_ = nullptr;
  CUlaunchConfig config_{};
  std::vector<void *> parameters_;
  std::vector<CUlaunchAttribute> attributes_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_LAUNCH_CALL_HPP_
