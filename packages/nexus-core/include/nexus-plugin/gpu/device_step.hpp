// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_GPU_DEVICE_STEP_HPP_
#define NEXUS_PLUGIN_GPU_DEVICE_STEP_HPP_

#include <nexus-api/nxs.h>

#include <cstdint>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// One call of the driver, or one node of a graph. A fill may need several. Sizes are in bytes.
struct CopyStep {
  uint64_t to, from;  // addresses
  uint64_t size;
};
struct FillStep {
  uint64_t to;  // address
  uint64_t pitch;
  unsigned value;    // of each element
  unsigned element;  // 1, 2 or 4
  uint64_t width;    // elements of a row; 1 if there are several rows
  uint64_t rows;
};
using DeviceStep = std::variant<CopyStep, FillStep>;
using DeviceSteps = std::vector<DeviceStep>;

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_DEVICE_STEP_HPP_
