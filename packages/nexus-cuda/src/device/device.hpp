// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CUDA_DEVICE_HPP_
#define NEXUS_CUDA_DEVICE_HPP_

#include "driver/gpu.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/gpu/device.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::HandleTable;
using nexus_plugin::Launch;
using nexus_plugin::Size3;

using DeviceState = nexus_plugin::gpu::DeviceState<Gpu>;

// A GPU. Lives as long as the process. Any thread may use it. Reading properties makes no context.
class Device : public nexus_plugin::gpu::DeviceBase<Gpu> {
 public:
  // ordinal: the driver's number, which CUDA_VISIBLE_DEVICES changes. Throws the driver's error.
  explicit Device(int ordinal);

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

  // Returns the primary context. The first call retains it, for the life of the process. Throws the
  // driver's error.
  CUcontext context() {
    const CUcontext made = context_.load(std::memory_order_acquire);
    return made != nullptr ? made : retain_context();
  }

 private:
  Device(int ordinal, CUdevice handle);
  CUcontext retain_context();

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

  std::mutex mutex_;  // guards the making of context_
  std::atomic<CUcontext> context_{nullptr};
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;
extern std::vector<nxs_id> all_devices;  // by ordinal; not changed after nxsQueryPlugin

// Returns a reference that stays valid, since devices are never released. Throws NXS_InvalidDevice.
inline Device &device_of(nxs_id id) {
  return *devices.pin(id);
}

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

inline bool Gpu::uses_pools(const Device &device) noexcept {
  return device.has_memory_pools();
}

inline CUresult Gpu::is_of(CUstream stream, Device &device, bool *out) {
  CUcontext context = nullptr;
  const CUresult result = cu.StreamGetCtx(stream, &context);
  *out = result == CUDA_SUCCESS && context == device.context();
  return result;
}

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_HPP_
