// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_METAL_DEVICE_HPP_
#define NEXUS_METAL_DEVICE_HPP_

#include "driver/driver.hpp"

#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>
#include <string>
#include <vector>

namespace nexus_metal NXS_HIDDEN {

// DLPack's types of devices. The data pointer of Metal's is an MTLBuffer.
constexpr int64_t kDLPackHost = 1, kDLPackMetal = 8;

// Kernels of the backend itself, for what blits can't do.
enum class Helper : std::size_t { CopyBytes, FillBytes, FillWords, Count };

// A device of MTLCopyAllDevices. Any thread may use it; lives as long as the process.
class Device {
 public:
  // Under a Pool.
  Device(int ordinal, id device);

  int ordinal() const noexcept { return ordinal_; }
  int64_t handle() const noexcept { return handle_of(get()); }
  std::vector<int64_t> dlpack_device() const { return {kDLPackMetal, ordinal_}; }
  const std::string &name() const noexcept { return name_; }
  id get() const noexcept { return device_.get(); }
  int apple_family() const noexcept { return apple_family_; }  // 0: not of Apple's processors
  bool unified() const noexcept { return unified_; }           // host and GPU share the memory
  bool supports(NSInteger family) const {
    const Pool pool;
    return msg.supports_family(get(), family);
  }
  uint64_t max_buffer_size() const noexcept { return max_buffer_size_; }      // bytes
  uint64_t local_memory_size() const noexcept { return local_memory_size_; }  // bytes of a group

  // Returns the pipeline of a helper, compiled at its first use. Under a Pool.
  id helper(Helper which) const;
  // Returns a queue for work of the backend's own. Under a Pool.
  Owned queue() const;

 private:
  int ordinal_;
  Owned device_;
  std::string name_;
  int apple_family_ = 0;
  bool unified_;
  uint64_t max_buffer_size_, local_memory_size_;
  mutable std::mutex mutex_;
  mutable std::vector<Owned> helpers_;
  mutable Owned queue_;
};

extern constinit HandleTable<Device, NXS_ObjectType_Device> devices;

// Objects keep a reference to the device without a Ref, as devices are never released.
// Throws NXS_InvalidDevice.
inline const Device &device_of(nxs_id of) {
  return *devices.pin(of);
}

// "apple7", the newest of Apple's families that the device supports; "mac2" of others.
std::string architecture_of(const Device &device);

// The languages that programs can be written in.
inline std::vector<std::string> compile_languages() {
  return {"nexus", "metal"};
}

}  // namespace nexus_metal

#endif  // NEXUS_METAL_DEVICE_HPP_
