// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_DEVICE_HPP_
#define NEXUS_CPU_DEVICE_HPP_

#include "machine/machine.hpp"
#include "system/usage.hpp"

#include <mutex>
#include <nexus-plugin/base/handle_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

// All processors of the machine. There is one Device, which is never released.
class Device {
 public:
  Device() : processor_(read_processor(tree_)), memory_size_(read_memory(tree_).total) {}

  const SystemTree &tree() const noexcept { return tree_; }
  const Processor &processor() const noexcept { return processor_; }
  uint64_t memory_size() const noexcept { return memory_size_; }  // bytes; 0 if unknown

  // Reads it at the first call: on large machines that takes thousands of files.
  const Machine &machine() const {
    std::call_once(machine_read_, [this] { machine_ = read_machine(tree_, processor_); });
    return machine_;
  }

  ActivityMeter &activity() const noexcept { return activity_; }

  // Bytes of the main memory; if unknown, of the address space.
  uint64_t max_buffer_size() const noexcept {
    return memory_size_ != 0 ? memory_size_ : uint64_t{1} << 46;
  }

 private:
  SystemTree tree_;
  Processor processor_;
  uint64_t memory_size_;
  mutable std::once_flag machine_read_;
  mutable Machine machine_;
  mutable ActivityMeter activity_{tree_};
};

extern constinit nexus_plugin::HandleTable<Device, NXS_ObjectType_Device> devices;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_DEVICE_HPP_
