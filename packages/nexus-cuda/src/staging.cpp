// SPDX-License-Identifier: Apache-2.0
#include "staging.hpp"

#include "device.hpp"

namespace nexus_cuda NXS_HIDDEN {

std::byte *Staging::take(uint64_t size) {
  const std::lock_guard lock(mutex_);
  Slots &slots = of(size);
  if (slots.free.empty() && slots.made < slots.most) make_more(slots);
  if (slots.free.empty()) return nullptr;
  std::byte *slot = slots.free.back();
  slots.free.pop_back();
  return slot;
}

void Staging::make_more(Slots &slots) {
  slots.free.reserve(slots.made + slots.together);  // so that giving back can't fail
  void *memory = nullptr;
  device_->check(cu.MemHostAlloc(&memory, slots.size * slots.together, CU_MEMHOSTALLOC_PORTABLE),
                 "making page-locked memory for copies");
  for (uint32_t i = 0; i < slots.together; ++i) {
    slots.free.push_back(static_cast<std::byte *>(memory) + i * slots.size);
  }
  slots.made += slots.together;
}

void Staging::give_back(std::byte *slot, uint64_t size) noexcept {
  const std::lock_guard lock(mutex_);
  of(size).free.push_back(slot);
}

}  // namespace nexus_cuda
