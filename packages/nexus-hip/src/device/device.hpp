// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_HIP_DEVICE_HPP_
#define NEXUS_HIP_DEVICE_HPP_

#include "driver/gpu.hpp"

#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/device.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <string>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::HandleTable;
using nexus_plugin::Size3;

// A GPU. Lives as long as the process. Any thread may use it. Reading properties does not start the
// device.
class Device : public nexus_plugin::gpu::DeviceBase<Gpu> {
 public:
  // ordinal: HIP's number, which ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES change. Throws HIP's
  // error.
  explicit Device(int ordinal);

  // Returns the architecture and its settings, such as "gfx942:sramecc+:xnack-".
  const std::string &target_id() const noexcept { return target_id_; }
  std::string architecture() const {
    return target_id_.substr(0, target_id_.find(':'));
  }  // "gfx942"
  uint64_t memory_size() const noexcept { return memory_size_; }  // bytes

  uint64_t max_group_items() const noexcept { return max_group_items_; }  // threads of a block
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  const Size3 &max_group_count() const noexcept { return max_group_count_; }  // blocks of a grid
  uint64_t max_shared_memory() const noexcept { return max_shared_memory_; }  // bytes of a block
  uint64_t core_shared_memory() const noexcept {
    return core_shared_memory_;
  }  // of multiprocessors
  // HIP's multiprocessors are pairs of units on some GPUs.
  uint64_t multiprocessors() const noexcept { return multiprocessors_; }
  uint64_t compute_units() const noexcept { return compute_units_; }

  bool has_managed_memory() const noexcept { return has_managed_memory_; }
  // Returns whether other processes can get its memory: they find the GPU by its UUID.
  bool shares_memory() const noexcept { return shares_memory_; }
  bool has_memory_pools() const noexcept { return has_memory_pools_; }
  bool has_stream_priorities() const noexcept { return has_stream_priorities_; }
  bool has_cooperative_launch() const noexcept { return has_cooperative_launch_; }

 private:
  Device(int ordinal, std::string target_id);

  const std::string target_id_;
  uint64_t memory_size_ = 0;
  bool shares_memory_ = false;
  const uint64_t max_group_items_ = number(hipDeviceAttributeMaxThreadsPerBlock, 1);
  const Size3 max_group_size_{number(hipDeviceAttributeMaxBlockDimX, 1),
                              number(hipDeviceAttributeMaxBlockDimY, 1),
                              number(hipDeviceAttributeMaxBlockDimZ, 1)};
  const Size3 max_group_count_{number(hipDeviceAttributeMaxGridDimX, 1),
                               number(hipDeviceAttributeMaxGridDimY, 1),
                               number(hipDeviceAttributeMaxGridDimZ, 1)};
  const uint64_t max_shared_memory_ = number(hipDeviceAttributeMaxSharedMemoryPerBlock, 0);
  const uint64_t core_shared_memory_ =
      number(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, max_shared_memory_);
  const uint64_t multiprocessors_ = number(hipDeviceAttributeMultiprocessorCount, 1);
  const uint64_t compute_units_ =
      number(hipDeviceAttributePhysicalMultiProcessorCount, multiprocessors_);
  const bool has_managed_memory_ = has(hipDeviceAttributeManagedMemory);
  const bool has_memory_pools_ = has(hipDeviceAttributeMemoryPoolsSupported);
  const bool has_stream_priorities_ = has(hipDeviceAttributeStreamPrioritiesSupported);
  const bool has_cooperative_launch_ =
      has(hipDeviceAttributeCooperativeLaunch) && hip.ModuleLaunchCooperativeKernel != nullptr;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;
extern std::vector<Device *> all_devices;  // by ordinal; not changed after nxsQueryPlugin

// Makes a device current on this thread; the destructor restores the previous one. Costs one call
// of HIP if it is current already, else three. Throws HIP's error.
class CurrentDevice {
 public:
  explicit CurrentDevice(const Device &device);
  ~CurrentDevice() {
    if (before_ >= 0) hip.SetDevice(before_);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

 private:
  int before_ = -1;  // nothing to restore
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_DEVICE_HPP_
