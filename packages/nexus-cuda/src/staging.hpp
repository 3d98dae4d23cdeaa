// SPDX-License-Identifier: Apache-2.0
// Page-locked memory through which copies with pageable memory go.
#ifndef NEXUS_CUDA_STAGING_HPP_
#define NEXUS_CUDA_STAGING_HPP_

#include <nexus-api/nxs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nexus-plugin/shared.hpp>
#include <vector>

namespace nexus_cuda NXS_HIDDEN {

class Device;

// The slots of a device, of two sizes. They are made when they are first needed, up to a limit, and
// kept. Lives as long as the process. Any thread.
class Staging {
 public:
  static constexpr uint64_t kLargest = uint64_t{1} << 20;  // bytes of a slot, at most

  explicit Staging(Device &device) : device_(&device) {}

  // A slot of at least size bytes, at most kLargest; NULL where all are in use. With the device's
  // context current. Throws what the driver says.
  std::byte *take(uint64_t size);
  void give_back(std::byte *slot, uint64_t size) noexcept;

 private:
  struct Slots {
    uint64_t size;
    uint32_t most;      // how many are made
    uint32_t together;  // in one allocation
    uint32_t made = 0;
    std::vector<std::byte *> free = {};
  };

  Slots &of(uint64_t size) noexcept { return size <= slots_[0].size ? slots_[0] : slots_[1]; }
  void make_more(Slots &slots);

  Device *device_;
  std::mutex mutex_;
  std::array<Slots, 2> slots_{{{uint64_t{1} << 16, 256, 16}, {kLargest, 32, 1}}};
};

// One slot, given back by its last owner.
class Slot {
 public:
  Slot(Staging &staging, std::byte *memory, uint64_t size)
      : staging_(&staging), memory_(memory), size_(size) {}
  ~Slot() { staging_->give_back(memory_, size_); }
  Slot(const Slot &) = delete;
  Slot &operator=(const Slot &) = delete;

  std::byte *memory() const noexcept { return memory_; }

 private:
  Staging *staging_;
  std::byte *memory_;
  uint64_t size_;  // that was asked for
};
using SlotPtr = nexus_plugin::Shared<Slot>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_STAGING_HPP_
