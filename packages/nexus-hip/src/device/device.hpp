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

// A GPU. Lives as long as the process; any thread may use it. Reading its properties does not start
// the device.
class Device {
 public:
  // ordinal: as HIP counts, after ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES.
  explicit Device(int ordinal);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  int ordinal() const noexcept { return ordinal_; }
  const std::string &name() const noexcept { return name_; }

  // "gfx942:sramecc+:xnack-": the architecture, and what code for the device may expect of it.
  const std::string &target_id() const noexcept { return target_id_; }
  std::string architecture() const { return target_id_.substr(0, target_id_.find(':')); }
  uint64_t memory_size() const noexcept { return memory_size_; }  // bytes

  // Threads of a block, at most, together and in each dimension; blocks of a grid in each.
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  const Size3 &max_group_count() const noexcept { return max_group_count_; }
  uint64_t shared_memory() const noexcept { return shared_memory_; }  // bytes of a block
  // Threads of a wave, 64 or 32. On GPUs that have both it is 32, and code may be built for 64.
  uint64_t wave_size() const noexcept { return wave_size_; }
  uint64_t compute_units() const noexcept { return compute_units_; }

  bool has_managed_memory() const noexcept { return has_managed_memory_; }
  bool has_memory_pools() const noexcept { return has_memory_pools_; }
  bool has_stream_priorities() const noexcept { return has_stream_priorities_; }
  bool has_cooperative_launch() const noexcept { return has_cooperative_launch_; }

  // HIP's answer; nothing if it does not know the attribute. Throws if it refuses.
  std::optional<int> attribute(hipDeviceAttribute_t attribute) const;

  // Throws where HIP refused a call for this device. An error that the device does not survive is
  // remembered: from then on every object of the device has it.
  void check(hipError_t result, std::string_view what) const {
    if (result != hipSuccess) [[unlikely]]
      refuse(result, what);
  }
  // The failure that a refused call stands for; one that is fatal is remembered.
  FailurePtr failure_of(hipError_t result, std::string_view what) const noexcept;

  // The fatal error; NULL while there is none.
  const nexus_plugin::Failure *lost() const noexcept { return lost_.failure(); }
  FailurePtr lost_cause() const { return lost_.cause(); }
  // Throws it.
  void refuse_lost() const { lost_.refuse(); }

 private:
  [[noreturn]] void refuse(hipError_t result, std::string_view what) const;

  const int ordinal_;
  std::string name_, target_id_;
  uint64_t memory_size_ = 0;
  uint64_t max_group_items_ = 1;
  Size3 max_group_size_{1, 1, 1}, max_group_count_{1, 1, 1};
  uint64_t shared_memory_ = 0, wave_size_ = 64, compute_units_ = 1;
  bool has_managed_memory_ = false, has_memory_pools_ = false;
  bool has_stream_priorities_ = false, has_cooperative_launch_ = false;
  // Any call of HIP may find out, one that asks for a property too.
  mutable nexus_plugin::LostDevice lost_;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;

// Makes a device this thread's current one, and puts the one before back. Costs one call of HIP
// where it is current already, three where not. Throws what HIP says.
class CurrentDevice {
 public:
  explicit CurrentDevice(const Device &device);
  ~CurrentDevice() {
    if (before_ >= 0) hip.SetDevice(before_);
  }
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;

 private:
  int before_ = -1;  // none to put back
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_DEVICE_HPP_
