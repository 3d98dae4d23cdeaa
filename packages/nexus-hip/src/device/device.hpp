// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_HIP_DEVICE_HPP_
#define NEXUS_HIP_DEVICE_HPP_

#include "driver/driver.hpp"
#include "driver/error.hpp"

#include <cstdint>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/driver/lost_device.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_hip NXS_HIDDEN {

using nexus_plugin::FailurePtr;
using nexus_plugin::HandleTable;
using nexus_plugin::Size3;

// A GPU. Lives as long as the process. Any thread may use it. Reading properties does not start the
// device.
class Device {
 public:
  // ordinal: HIP's number, which ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES change. Throws HIP's
  // error.
  explicit Device(int ordinal);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  int ordinal() const noexcept { return ordinal_; }
  const std::string &name() const noexcept { return name_; }

  // Returns the architecture and its settings, such as "gfx942:sramecc+:xnack-".
  const std::string &target_id() const noexcept { return target_id_; }
  std::string architecture() const {
    return target_id_.substr(0, target_id_.find(':'));
  }  // "gfx942"
  uint64_t memory_size() const noexcept { return memory_size_; }  // bytes

  uint64_t max_group_items() const noexcept { return max_group_items_; }  // threads of a block
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  const Size3 &max_group_count() const noexcept { return max_group_count_; }  // blocks of a grid
  uint64_t shared_memory() const noexcept { return shared_memory_; }          // bytes of a block
  // Returns 64 or 32 threads. GPUs with waves of both sizes return 32, and run code for 64 too.
  uint64_t wave_size() const noexcept { return wave_size_; }
  uint64_t compute_units() const noexcept { return compute_units_; }

  bool has_managed_memory() const noexcept { return has_managed_memory_; }
  bool has_memory_pools() const noexcept { return has_memory_pools_; }
  bool has_stream_priorities() const noexcept { return has_stream_priorities_; }
  bool has_cooperative_launch() const noexcept { return has_cooperative_launch_; }

  // Returns nothing if HIP does not know the attribute. Throws HIP's other errors.
  std::optional<int> attribute(hipDeviceAttribute_t attribute) const;

  // Throws if a call of HIP failed. A fatal error is kept, and from then on fails all work of the
  // device. what: such as "making a stream".
  void check(hipError_t result, std::string_view what) const {
    if (result != hipSuccess) [[unlikely]]
      fail(result, what);
  }
  // Makes the failure for a call that failed. A fatal one is kept, as by check().
  FailurePtr failure_of(hipError_t result, std::string_view what) const noexcept;

  // Returns the fatal error; NULL if there is none.
  const nexus_plugin::Failure *lost() const noexcept { return lost_.failure(); }
  FailurePtr lost_cause() const { return lost_.cause(); }
  // Throws the fatal error if there is one.
  void refuse_lost() const { lost_.refuse(); }

 private:
  [[noreturn]] void fail(hipError_t result, std::string_view what) const;

  // Returns otherwise if the attribute is not known or not above 0.
  uint64_t number(hipDeviceAttribute_t attribute, uint64_t otherwise) const;
  bool has(hipDeviceAttribute_t attribute) const { return number(attribute, 0) != 0; }

  // First, since reading an attribute may fail. Mutable, since const calls may lose the device.
  mutable nexus_plugin::LostDevice lost_;

  const int ordinal_;
  std::string name_;
  const std::string target_id_;
  uint64_t memory_size_ = 0;
  const uint64_t max_group_items_ = number(hipDeviceAttributeMaxThreadsPerBlock, 1);
  const Size3 max_group_size_{number(hipDeviceAttributeMaxBlockDimX, 1),
                              number(hipDeviceAttributeMaxBlockDimY, 1),
                              number(hipDeviceAttributeMaxBlockDimZ, 1)};
  const Size3 max_group_count_{number(hipDeviceAttributeMaxGridDimX, 1),
                               number(hipDeviceAttributeMaxGridDimY, 1),
                               number(hipDeviceAttributeMaxGridDimZ, 1)};
  const uint64_t shared_memory_ = number(hipDeviceAttributeMaxSharedMemoryPerBlock, 0);
  const uint64_t wave_size_ = number(hipDeviceAttributeWarpSize, 64);
  // HIP's multiprocessors are pairs of units on some GPUs.
  const uint64_t compute_units_ = number(hipDeviceAttributePhysicalMultiProcessorCount,
                                         number(hipDeviceAttributeMultiprocessorCount, 1));
  const bool has_managed_memory_ = has(hipDeviceAttributeManagedMemory);
  const bool has_memory_pools_ = has(hipDeviceAttributeMemoryPoolsSupported);
  const bool has_stream_priorities_ = has(hipDeviceAttributeStreamPrioritiesSupported);
  const bool has_cooperative_launch_ =
      has(hipDeviceAttributeCooperativeLaunch) && hip.ModuleLaunchCooperativeKernel != nullptr;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;

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
