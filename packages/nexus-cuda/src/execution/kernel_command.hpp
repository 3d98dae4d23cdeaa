// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_KERNEL_COMMAND_HPP_
#define NEXUS_CUDA_KERNEL_COMMAND_HPP_

#include "execution/recording.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// A launch of a kernel. Its parameters are packed when it is finalized, so that a run is one call
// of the driver, which copies them. Used by one thread at a time.
class KernelCommand : public nexus_plugin::RecordedKernel<Recording> {
 public:
  explicit KernelCommand(nexus_plugin::Ref<Kernel> kernel);

  void lower_argument(uint32_t index, const nexus_plugin::Argument<Buffer> &argument);
  nexus_plugin::Launch lower_launch(const nxs_launch &launch);

  // Returns what the driver says. No context needs to be current.
  CUresult enqueue(CUstream stream) const noexcept {
    config_.hStream = stream;
    return cu.LaunchKernelEx(&config_, kernel().function(), parameters_.data(), nullptr);
  }
  // The same launch as the node of a graph. Its pointers are good while the command does not
  // change. attributes() are what the node gets beside it.
  CUDA_KERNEL_NODE_PARAMS node() const noexcept;
  std::span<const CUlaunchAttribute> attributes() const noexcept { return attributes_; }
  // Grows with each change of an argument.
  uint64_t version() const noexcept { return version_; }

  void used_in(const PooledStream &pooled) const noexcept;

 private:
  // The bytes of each parameter, and the block that they make.
  struct Packed {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> offsets;  // by argument; kNone: it is no parameter
    uint64_t dynamic_shared = 0;
  };

  nexus_plugin::Launch check(const nxs_launch &given, uint64_t dynamic_shared) const;
  Packed pack(uint64_t extra_shared) const;
  void write_grid(Packed &packed, const nexus_plugin::Launch &launch) const;
  void adopt(Packed packed, const nexus_plugin::Launch &launch);

  Packed packed_;
  std::vector<CUlaunchAttribute> attributes_;
  mutable std::vector<void *> parameters_;  // the driver takes them without const
  mutable CUlaunchConfig config_{};
  uint64_t version_ = 0;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_KERNEL_COMMAND_HPP_
