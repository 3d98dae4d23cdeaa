// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_DEVICE_STATE_HPP_
#define NEXUS_CUDA_DEVICE_STATE_HPP_

#include "copy_workers.hpp"
#include "device_memory.hpp"
#include "lanes.hpp"
#include "pooled_event.hpp"
#include "staging.hpp"

namespace nexus_cuda NXS_HIDDEN {

// What the objects of one device share. Made with the device's context current; lives as long as
// the process.
struct DeviceState {
  explicit DeviceState(Device &device)
      : events(device),
        lanes(device),
        memory(device, lanes, events),
        staging(device),
        workers(device, events) {}

  EventPool events;
  Lanes lanes;
  DeviceMemory memory;
  Staging staging;
  CopyWorkers workers;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_STATE_HPP_
