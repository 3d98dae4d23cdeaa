// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_POOL_HPP_
#define NEXUS_SIMULATED_CUDA_POOL_HPP_

#include "call.hpp"
#include "types.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>

namespace simulated_cuda {

// Memory that streams allocate from. It keeps what was returned: that counts as used on the device
// until a synchronisation finds more of it than the threshold, or it is trimmed.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(Device &device, uint64_t limit, bool shareable)
      : device_(&device), limit_(limit), shareable_(shareable) {}
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  Device &device() const { return *device_; }
  bool shareable() const { return shareable_; }
  // A file of another process whose memory this is, or -1.
  int foreign_file = -1;

  uintptr_t allocate(size_t size, Context &context);
  void returned(size_t size);
  // Gives back what is free, down to reserved bytes in all.
  void trim(uint64_t reserved);
  void trim_to_threshold() { trim(threshold_); }

  uint64_t attribute(CUmemPool_attribute which) const;
  void set_attribute(CUmemPool_attribute which, uint64_t value);

  std::map<int, CUmemAccess_flags> access;  // of other devices, by ordinal

 private:
  Device *device_;
  uint64_t limit_;  // 0: none
  bool shareable_;
  uint64_t threshold_ = 0;
  uint64_t used_ = 0, used_high_ = 0;
  uint64_t reserved_ = 0, reserved_high_ = 0;
  std::map<int, uint64_t> reuse_ = {{1, 1}, {2, 1}, {3, 1}};
};

const std::shared_ptr<Pool> &default_pool(Device &device);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_POOL_HPP_
