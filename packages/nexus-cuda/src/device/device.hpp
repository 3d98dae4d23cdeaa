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

// A GPU. Lives as long as the process. Any thread may use it. Reading properties makes no context.
class Device {
 public:
  // ordinal: the driver's number, which CUDA_VISIBLE_DEVICES changes. Throws the driver's error.
  explicit Device(int ordinal);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  int ordinal() const noexcept { return ordinal_; }
  CUdevice handle() const noexcept { return handle_; }
  const std::string &name() const noexcept { return name_; }

  int compute_capability() const noexcept { return compute_capability_; }  // 90: 9.0
  std::string architecture() const;                                        // "sm_90"
  uint64_t memory_size() const noexcept { return memory_size_; }           // bytes

  uint64_t max_group_items() const noexcept { return max_group_items_; }  // threads of a block
  const Size3 &max_group_size() const noexcept { return max_group_size_; }
  const Size3 &max_group_count() const noexcept { return max_group_count_; }  // blocks of a grid
  // Bytes of a block, if the kernel opts in.
  uint64_t max_shared_memory() const noexcept { return max_shared_memory_; }
  uint64_t warp_size() const noexcept { return warp_size_; }
  uint64_t multiprocessors() const noexcept { return multiprocessors_; }

  bool has_managed_memory() const noexcept { return has_managed_memory_; }
  bool has_memory_pools() const noexcept { return has_memory_pools_; }
  // Returns whether other processes can get its memory.
  bool shares_memory() const noexcept { return shares_memory_; }

  bool has_stream_priorities() const noexcept { return has_stream_priorities_; }
  bool has_cluster_launch() const noexcept { return has_cluster_launch_; }
  bool has_cooperative_launch() const noexcept { return has_cooperative_launch_; }
  // Returns whether a kernel can begin before the previous one has ended: since Hopper.
  bool has_programmatic_launch() const noexcept { return compute_capability_ >= 90; }

  // Returns nothing if the driver does not know the attribute. Throws the driver's other errors.
  std::optional<int> attribute(CUdevice_attribute attribute) const;

  // Returns the primary context. The first call retains it, for the life of the process. Throws the
  // driver's error.
  CUcontext context() {
    const CUcontext made = context_.load(std::memory_order_acquire);
    return made != nullptr ? made : retain_context();
  }

  // Returns the state that the device's objects share: pools of memory, streams and events. The
  // first call makes it. Throws the driver's error.
  DeviceState &state() {
    DeviceState *made = state_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_state();
  }
  // Returns NULL if state() was not called yet.
  DeviceState *made_state() const noexcept { return state_.load(std::memory_order_acquire); }

  // Throws if a call of the driver failed. A fatal error is kept, and from then on fails all work
  // of the device. what: such as "making a stream".
  void check(CUresult result, std::string_view what) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, what);
  }
  // Makes the failure for a call that failed. A fatal one is kept, as by check().
  FailurePtr failure_of(CUresult result, std::string_view what) const noexcept;

  // Returns the fatal error; NULL if there is none.
  const nexus_plugin::Failure *lost() const noexcept { return lost_.failure(); }
  FailurePtr lost_cause() const { return lost_.cause(); }
  // Throws the fatal error if there is one.
  void refuse_lost() const { lost_.refuse(); }

 private:
  [[noreturn]] void fail(CUresult result, std::string_view what) const;
  CUcontext retain_context();
  DeviceState &make_state();
  // Returns otherwise if the attribute is not known or not above 0.
  uint64_t number(CUdevice_attribute attribute, uint64_t otherwise) const;
  bool has(CUdevice_attribute attribute) const { return number(attribute, 0) != 0; }

  // First, since reading an attribute may fail. Mutable, since const calls may lose the device.
  mutable nexus_plugin::LostDevice lost_;

  const int ordinal_;
  const CUdevice handle_;
  std::string name_;
  uint64_t memory_size_ = 0;
  const int compute_capability_ =
      static_cast<int>(number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) * 10 +
                       number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  const uint64_t max_group_items_ = number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1);
  const Size3 max_group_size_{number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1),
                              number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1),
                              number(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 1)};
  const Size3 max_group_count_{number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 1),
                               number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 1),
                               number(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 1)};
  const uint64_t max_shared_memory_ =
      number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
             number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0));
  const uint64_t warp_size_ = number(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
  const uint64_t multiprocessors_ = number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1);
  const bool has_managed_memory_ = has(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
  const bool has_memory_pools_ = has(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  const bool shares_memory_ = has(CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED);
  const bool has_stream_priorities_ = has(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
  const bool has_cluster_launch_ = has(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  const bool has_cooperative_launch_ = has(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);

  std::mutex mutex_;  // guards the making of context_ and state_
  std::atomic<CUcontext> context_{nullptr};
  std::atomic<DeviceState *> state_{nullptr};  // never freed
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;
extern std::vector<nxs_id> all_devices;  // by ordinal; not changed after nxsQueryPlugin

// Returns a reference that stays valid, since devices are never released. Throws NXS_InvalidDevice.
inline Device &device_of(nxs_id id) {
  return *devices.pin(id);
}

// Returns 32 hexadecimal digits, of the MIG instance if the device is one; empty if the driver does
// not tell them.
std::string uuid_of(const Device &device);
std::string uuid_text(const CUuuid &uuid);
// Returns the UUID as NVML and nvidia-smi write it after "GPU-" or "MIG-":
// "8932f937-d72c-4106-c12f-20bd9faed9f6".
std::string dashed_uuid(std::string uuid);

// Throws NXS_InvalidDevice unless both are the same device. object: such as "buffer".
void check_same_device(const char *object, const Device &of, const Device &used_with);

// Makes a device's primary context current on this thread; the destructor restores the previous
// one. Costs one call of the driver if it is current already, else three. Throws the driver's
// error.
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
