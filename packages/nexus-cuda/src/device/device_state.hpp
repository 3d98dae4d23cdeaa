// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_DEVICE_STATE_HPP_
#define NEXUS_CUDA_DEVICE_STATE_HPP_

#include "device/copy_workers.hpp"
#include "device/device_memory.hpp"
#include "device/queue.hpp"

#include <nexus-plugin/staging.hpp>

namespace nexus_cuda NXS_HIDDEN {

// Page-locked memory of a Device, for copies. Throws what the driver says.
std::byte *allocate_staging(void *device, uint64_t size);

// State that the objects of one device share. Made with the device's context current; lives as long
// as the process.
struct DeviceState {
  explicit DeviceState(Device &device)
      : events(device),
        stream_pool(device),
        frees(device, stream_pool),
        memory(device, stream_pool, events),
        staging(&device, allocate_staging),
        workers(device, events) {}

  EventPool events;
  StreamPool stream_pool;
  DeferredFrees frees;
  DeviceMemory memory;
  nexus_plugin::Staging staging;
  CopyWorkers workers;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_STATE_HPP_
