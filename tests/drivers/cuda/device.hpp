// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_DEVICE_HPP_
#define NEXUS_SIMULATED_CUDA_DEVICE_HPP_

#include "address_space.hpp"
#include "device_attributes.hpp"
#include "settings.hpp"
#include "types.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace simulated_cuda {

class Context;
class Pool;

class Device {
 public:
  // number: which of the machine's devices it is.
  Device(int ordinal, int number, const Settings &settings);

  int ordinal() const { return ordinal_; }
  const std::string &name() const { return name_; }
  CUuuid uuid() const;
  std::string pci_bus_id() const;
  int attribute(int number) const;  // throws where there is none
  int architecture() const { return architecture_; }

  uint64_t memory() const { return memory_; }
  uint64_t used() const { return used_; }
  // Takes bytes of the memory, or throws CUDA_ERROR_OUT_OF_MEMORY.
  void take(uint64_t bytes);
  void give_back(uint64_t bytes) { used_ -= bytes; }
  // Addresses for that many bytes, which were taken, filled with garbage if they are few.
  uintptr_t place(size_t size);
  AddressSpace &addresses() { return addresses_; }

  Context *primary = nullptr;  // made at first use, for ever
  int primary_users = 0;
  unsigned primary_flags = 0;
  std::shared_ptr<Pool> default_pool;  // made at first use
  std::shared_ptr<Pool> current_pool;
  CUmemoryPool default_pool_handle = nullptr;
  CUmemoryPool current_pool_handle = nullptr;

 private:
  int ordinal_;
  int number_;
  std::string name_;
  int architecture_;
  uint64_t memory_;
  uint64_t used_ = 0;
  bool poison_;
  std::map<int, int> attributes_;
  AddressSpace addresses_;
};

// Throws CUDA_ERROR_INVALID_DEVICE.
Device &device_of(CUdevice ordinal);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_DEVICE_HPP_
