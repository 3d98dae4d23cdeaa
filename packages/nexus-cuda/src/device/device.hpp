// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_DEVICE_HPP_
#define NEXUS_CUDA_DEVICE_HPP_

#include "driver/driver.hpp"
#include "driver/error.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/driver/lost_device.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::FailurePtr;
using nexus_plugin::HandleTable;
using nexus_plugin::Launch;
using nexus_plugin::Size3;

struct DeviceState;

// A GPU. Lives as long as the process; any thread may use it. Reading its properties makes no
// context.
class Device {
 public:
  // ordinal: as the driver counts, after CUDA_VISIBLE_DEVICES.
  explicit Device(int ordinal);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  int ordinal() const noexcept { return ordinal_; }
  CUdevice handle() const noexcept { return handle_; }
  const std::string &name() const noexcept { return name_; }

  int compute_capability() const noexcept { return compute_capability_; }  // 90 is 9.0
  std::string architecture() const;                                        // "sm_90"
  uint64_t memory_size() const noexcept { return memory_size_; }           // bytes

  // Threads of a block, at most, together and in each dimension; blocks of a grid in each.
  uint64_t max_group_items() const noexcept { return max_group_items_; }
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  const Size3 &max_group_count() const noexcept { return max_group_count_; }
  uint64_t shared_memory() const noexcept { return shared_memory_; }          // bytes of a block
  uint64_t max_shared_memory() const noexcept { return max_shared_memory_; }  // on request
  uint64_t warp_size() const noexcept { return warp_size_; }
  uint64_t multiprocessors() const noexcept { return multiprocessors_; }

  bool has_managed_memory() const noexcept { return has_managed_memory_; }
  bool has_memory_pools() const noexcept { return has_memory_pools_; }
  // With other processes.
  bool shares_memory() const noexcept { return shares_memory_; }

  bool has_stream_priorities() const noexcept { return has_stream_priorities_; }
  bool has_cluster_launch() const noexcept { return has_cluster_launch_; }
  bool has_cooperative_launch() const noexcept { return has_cooperative_launch_; }
  // Returns whether a kernel can begin before the one before it has ended: from Hopper on.
  bool has_programmatic_launch() const noexcept { return compute_capability_ >= 90; }

  // The driver's answer; nothing if it does not know the attribute. Throws if it refuses.
  std::optional<int> attribute(CUdevice_attribute attribute) const;

  // The primary context, retained when it is first asked for, for the life of the process.
  // Throws what the driver says.
  CUcontext context() {
    const CUcontext made = context_.load(std::memory_order_acquire);
    return made != nullptr ? made : retain_context();
  }

  // State that the objects of the device share: memory, events, copies. Made at first use.
  DeviceState &state() {
    DeviceState *made = state_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_state();
  }
  // The same; NULL where it was not made yet.
  DeviceState *made_state() const noexcept { return state_.load(std::memory_order_acquire); }

  // Throws where the driver refused a call for this device. An error that the device does not
  // survive is remembered: from then on every object of the device has it.
  void check(CUresult result, std::string_view what) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      refuse(result, what);
  }
  // The failure that a refused call stands for; one that is fatal is remembered.
  FailurePtr failure_of(CUresult result, std::string_view what) const noexcept;

  // The fatal error; NULL while there is none.
  const nexus_plugin::Failure *lost() const noexcept { return lost_.failure(); }
  FailurePtr lost_cause() const { return lost_.cause(); }
  // Throws it.
  void refuse_lost() const { lost_.refuse(); }

 private:
  [[noreturn]] void refuse(CUresult result, std::string_view what) const;
  CUcontext retain_context();
  DeviceState &make_state();

  const int ordinal_;
  CUdevice handle_ = 0;
  std::string name_;
  int compute_capability_ = 0;
  uint64_t memory_size_ = 0;
  uint64_t max_group_items_ = 1;
  Size3 max_group_size_{1, 1, 1}, max_group_count_{1, 1, 1};
  uint64_t shared_memory_ = 0, max_shared_memory_ = 0, warp_size_ = 32, multiprocessors_ = 1;
  bool has_managed_memory_ = false, has_memory_pools_ = false, shares_memory_ = false;
  bool has_stream_priorities_ = false, has_cluster_launch_ = false;
  bool has_cooperative_launch_ = false;

  std::mutex mutex_;  // for what is made once
  std::atomic<CUcontext> context_{nullptr};
  std::atomic<DeviceState *> state_{nullptr};  // never freed
  // Any call of the driver may find out, one that asks for a property too.
  mutable nexus_plugin::LostDevice lost_;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;
extern std::vector<nxs_id> all_devices;  // by ordinal; set before any object of theirs is made

// For objects that keep their device without a Ref: devices are never released, so the reference
// stays good. Throws NXS_InvalidDevice.
inline Device &device_of(nxs_id id) {
  return *devices.pin(id);
}

// 32 hexadecimal digits; of a MIG instance its own. Empty where the driver does not tell it.
std::string uuid_of(const Device &device);
std::string uuid_text(const CUuuid &uuid);
// The same as NVML and nvidia-smi write it, after their "GPU-" or "MIG-":
// "8932f937-d72c-4106-c12f-20bd9faed9f6".
std::string dashed_uuid(std::string uuid);

// Throws NXS_InvalidDevice where an object is of another device than the one it is used with.
void check_same_device(const char *object, const Device &of, const Device &used_with);

// Makes a device's primary context this thread's current one, and restores the one before. Costs
// one call of the driver where it is current already, three where not. Throws what the driver says.
class CurrentContext {
 public:
  explicit CurrentContext(Device &device);
  ~CurrentContext() {
    CUcontext ours = nullptr;
    if (pushed_) cu.CtxPopCurrent(&ours);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

 private:
  bool pushed_ = false;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_HPP_
