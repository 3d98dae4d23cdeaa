// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_CONDITION_HPP_
#define NEXUS_CUDA_CONDITION_HPP_

#include "device/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

// A launch of the plug-in's own kernel, which reads an integer and sets conditions of a graph.
class ConditionCall {
 public:
  static constexpr std::size_t kMost = 8;  // conditions
  static constexpr uint64_t kTurnsSize = 16;

  // The device must be current. Throws the driver's error.
  ConditionCall(Device &device, nxs_command_type type, CUdeviceptr value, uint32_t first,
                const std::vector<CUgraphConditionalHandle> &conditions, uint64_t max_count,
                CUdeviceptr turns);
  void stop_by(CUdeviceptr word) noexcept { parameters_.stop = word; }
  ConditionCall next_turn() const noexcept;

  CUresult add(CUgraphNode *out, CUgraph graph, Gpu::NativeNodes after) const noexcept;
  CUresult change(CUgraphExec executable, CUgraphNode node) const noexcept;

 private:
  // What the kernel does. The numbers are in its code.
  enum Mode : uint32_t { kSwitch, kIf, kLoop, kNextTurn };

  // As the kernel has them.
  struct Parameters {
    CUdeviceptr value;
    CUdeviceptr turns;  // the number of turns, and when `stop` was last read
    CUdeviceptr stop;
    uint64_t max_count;
    uint32_t mode;
    uint32_t first;
    uint32_t count;
    std::array<CUgraphConditionalHandle, kMost> conditions;
  };

  template <class Use>
  CUresult with_node(Use &&use) const noexcept;

  CUfunction kernel_;
  Parameters parameters_{};
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CONDITION_HPP_
