// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory, which the driver copies from and to directly. Small copies of pageable
// memory go through it.
#ifndef NEXUS_PLUGIN_STAGING_HPP_
#define NEXUS_PLUGIN_STAGING_HPP_

#include <nexus-plugin/base/shared.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The staging slots of a device, in two sizes. They are allocated when they are first needed, up to
// a limit, and kept. Lives as long as the process. Any thread may use it.
class Staging {
 public:
  static constexpr uint64_t kLargest = uint64_t{1} << 20;  // bytes of a slot, at most

  // allocate(device, size) returns page-locked memory, which is never freed. Throws the driver's
  // error.
  using Allocate = std::byte *(*)(void *device, uint64_t size);
  Staging(void *device, Allocate allocate) : device_(device), allocate_(allocate) {}

  // Returns a slot for size bytes, at most kLargest; NULL if all slots are in use.
  std::byte *take(uint64_t size) {
    const std::lock_guard lock(mutex_);
    Slots &slots = of(size);
    if (slots.free.empty() && slots.made < slots.most) make_more(slots);
    if (slots.free.empty()) return nullptr;
    std::byte *slot = slots.free.back();
    slots.free.pop_back();
    return slot;
  }

  void give_back(std::byte *slot, uint64_t size) noexcept {
    const std::lock_guard lock(mutex_);
    of(size).free.push_back(slot);
  }

 private:
  struct Slots {
    uint64_t size;
    uint32_t most;      // how many are made, at most
    uint32_t together;  // how many are made in one allocation
    uint32_t made = 0;
    std::vector<std::byte *> free = {};
  };

  Slots &of(uint64_t size) noexcept { return size <= slots_[0].size ? slots_[0] : slots_[1]; }

  void make_more(Slots &slots) {
    slots.free.reserve(slots.made + slots.together);  // so that giving back can't fail
    std::byte *memory = allocate_(device_, slots.size * slots.together);
    for (uint32_t i = 0; i < slots.together; ++i) slots.free.push_back(memory + i * slots.size);
    slots.made += slots.together;
  }

  void *device_;
  Allocate allocate_;
  std::mutex mutex_;
  std::array<Slots, 2> slots_{{{uint64_t{1} << 16, 256, 16}, {kLargest, 32, 1}}};
};

// A slot, given back by the destructor.
class StagingSlot {
 public:
  StagingSlot(Staging &staging, std::byte *memory, uint64_t size)
      : staging_(&staging), memory_(memory), size_(size) {}
  ~StagingSlot() { staging_->give_back(memory_, size_); }
  StagingSlot(const StagingSlot &) = delete;
  StagingSlot &operator=(const StagingSlot &) = delete;

  std::byte *memory() const noexcept { return memory_; }

 private:
  Staging *staging_;
  std::byte *memory_;
  uint64_t size_;  // that was given to take()
};
using StagingSlotPtr = Shared<StagingSlot>;

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_STAGING_HPP_
