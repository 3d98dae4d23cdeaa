// SPDX-License-Identifier: Apache-2.0
// The driver's steps of a copy or a fill: one or more, enqueued in a stream or added to a
// graph.
#ifndef NEXUS_CUDA_DEVICE_STEP_HPP_
#define NEXUS_CUDA_DEVICE_STEP_HPP_

#include "driver/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

struct CopyStep {
  CUdeviceptr destination = 0, source = 0;
  uint64_t size = 0;
};
using FillStep = CUDA_MEMSET_NODE_PARAMS;
using DeviceStep = std::variant<CopyStep, FillStep>;
using DeviceSteps = std::vector<DeviceStep>;

// The steps that repeat a pattern of 1, 2, 4, 8 or 16 bytes through size bytes, a multiple.
DeviceSteps fill_steps(CUdeviceptr address, uint64_t size, const std::byte *pattern,
                       uint64_t pattern_size);

// With the device's context current. They return what the driver says.
CUresult enqueue_step(const DeviceStep &step, CUstream stream) noexcept;
CUresult add_step(const DeviceStep &step, CUgraph graph, CUcontext context,
                  CUgraphNode &last) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_STEP_HPP_
