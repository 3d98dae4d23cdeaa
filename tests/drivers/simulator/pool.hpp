// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_POOL_HPP_
#define NEXUS_SIMULATOR_POOL_HPP_

#include "stream.hpp"

#include <cstdint>
#include <memory>

namespace simulator {

// The attributes of pools, of which all drivers have the same numbers.
enum PoolAttribute : int {
  kReuseFollowsEvents = 1,
  kReleaseThreshold = 4,
  kReservedMemory = 5,
  kUsedMemory = 7,
};

// A memory pool. Freed memory counts as used on the device until a synchronisation finds more of it
// than the threshold, or the pool is trimmed.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  explicit Pool(Device &device) : device_(&device) {}
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  Device &device() const { return *device_; }
  uint64_t used() const { return used_; }
  uint64_t reserved() const { return reserved_; }
  uint64_t threshold() const { return threshold_; }
  // Those of reuse make no difference here. Throw where there is no such attribute.
  void set_attribute(int attribute, const void *value);
  uint64_t attribute(int attribute) const;
  // Throws for access that a device can't be given.
  void check_access(const Device &device, int flags) const;

  uintptr_t allocate(size_t size, Context &context);
  void returned(size_t size) { used_ -= size; }
  // Frees unused memory, down to `reserved` bytes in total.
  void trim(uint64_t reserved);

 private:
  Device *device_;
  uint64_t used_ = 0;
  uint64_t reserved_ = 0;
  uint64_t threshold_ = 0;
};

// Returns the device's pool; throws kNotSupported if it has none.
const std::shared_ptr<Pool> &default_pool(Device &device);
Handle make_pool(Device &device);
// Memory that is allocated from it keeps it. Throws for a device's default pool.
void destroy_pool(Handle pool);

// Waits for the stream, and throws why its context failed.
void synchronize(Call &call, const std::shared_ptr<Stream> &stream);

// Trims the pools of the context's device, as a synchronisation does.
void trim_pools(const Context &context);

// Frees memory in stream order.
void free_in_order(const char *function, const std::shared_ptr<Stream> &stream, uintptr_t begin);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_POOL_HPP_
