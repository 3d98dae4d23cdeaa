// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <iterator>

namespace simulated_cuda {

Allocation &Allocations::add(const Allocation &allocation) {
  Allocation &added = by_begin_[allocation.begin] = allocation;
  added.id = ++next_id_;
  return added;
}

Allocation *Allocations::find(uintptr_t address) {
  const auto after = by_begin_.upper_bound(address);
  if (after == by_begin_.begin()) return nullptr;
  Allocation &before = std::prev(after)->second;
  return address - before.begin < before.size ? &before : nullptr;
}

Allocation *Allocations::find(uintptr_t address, size_t size) {
  Allocation *found = find(address);
  return found != nullptr && size <= found->size - (address - found->begin) ? found : nullptr;
}

Allocation *Allocations::at(uintptr_t begin) {
  const auto found = by_begin_.find(begin);
  return found == by_begin_.end() ? nullptr : &found->second;
}

bool Allocations::overlaps(uintptr_t begin, size_t size) const {
  const auto after = by_begin_.lower_bound(begin + size);
  if (after == by_begin_.begin()) return false;
  const Allocation &before = std::prev(after)->second;
  return before.begin + before.size > begin;
}

}  // namespace simulated_cuda
