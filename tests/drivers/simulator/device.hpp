// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_DEVICE_HPP_
#define NEXUS_SIMULATOR_DEVICE_HPP_

#include "address_space.hpp"
#include "driver.hpp"
#include "registry.hpp"
#include "settings.hpp"

#include <map>
#include <memory>

namespace simulator {

class Context;
class Pool;

class Device {
 public:
  // number: which of the machine's devices it is.
  Device(int ordinal, int number, const Settings &settings);

  int ordinal() const { return ordinal_; }
  int number() const { return number_; }
  int attribute(int number) const;  // throws where there is none
  int architecture() const { return architecture_; }

  uint64_t memory() const { return memory_; }
  uint64_t used() const { return used_; }
  size_t free() const { return memory_ - used_; }
  // Takes bytes of the memory, or throws kOutOfMemory.
  void take(uint64_t bytes);
  void give_back(uint64_t bytes) { used_ -= bytes; }
  // Addresses for that many bytes, which were taken, filled with garbage if they are few.
  uintptr_t place(size_t size);
  AddressSpace &addresses() { return addresses_; }

  Context *primary = nullptr;  // made at first use, for ever
  int primary_users = 0;
  std::shared_ptr<Pool> default_pool;  // made at first use
  Handle default_pool_handle = nullptr;

 private:
  int ordinal_;
  int number_;
  int architecture_;
  uint64_t memory_;
  uint64_t used_ = 0;
  std::map<int, int> attributes_;
  AddressSpace addresses_;
};

// Throws kInvalidDevice.
Device &device_of(int ordinal);

// Returns whether a device can access another one's memory.
bool reach(const Device &device, const Device &peer);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_DEVICE_HPP_
