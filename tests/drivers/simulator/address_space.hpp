// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_ADDRESS_SPACE_HPP_
#define NEXUS_SIMULATOR_ADDRESS_SPACE_HPP_

#include <cstddef>
#include <cstdint>
#include <map>

namespace simulator {

// A device's memory: a range of addresses that faults where nothing is allocated. Allocations are
// at the ends of their pages with a guard page behind them, and addresses are reused as late as
// possible, so that accesses out of bounds and after a free fault. The memory is an unnamed file,
// which other processes can map.
class AddressSpace {
 public:
  explicit AddressSpace(uint64_t capacity);
  AddressSpace(const AddressSpace &) = delete;
  AddressSpace &operator=(const AddressSpace &) = delete;

  // An address that is a multiple of 512, or 0.
  uintptr_t allocate(size_t size);
  void free(uintptr_t begin, size_t size);

  int file() const { return file_; }
  uint64_t offset_of(uintptr_t address) const { return address - begin_; }

 private:
  static size_t pages(size_t size);  // bytes of the whole pages that size takes, with the guard

  int file_ = -1;
  uintptr_t begin_ = 0;
  uint64_t size_ = 0;
  uint64_t next_ = 0;                  // beyond it nothing was allocated yet
  std::map<uintptr_t, size_t> freed_;  // by address, side by side ones joined
};

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_ADDRESS_SPACE_HPP_
