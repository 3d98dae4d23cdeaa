// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_DEVICE_HPP_
#define NEXUS_CPU_DEVICE_HPP_

#include "processor.hpp"

#include <nexus-plugin/handle_table.hpp>

namespace nexus_cpu NXS_HIDDEN {

// All processors of the machine. There is one, and it is never released.
class Device {
 public:
  Device() : processor_(read_processor()) {}

  const Processor &processor() const noexcept { return processor_; }

  // Bytes. No more than the memory there is; without that number, what can be addressed.
  uint64_t max_buffer_size() const noexcept {
    return processor_.memory != 0 ? processor_.memory : uint64_t{1} << 46;
  }

 private:
  Processor processor_;
};

extern constinit nexus_plugin::HandleTable<Device, NXS_ObjectType_Device> devices;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_DEVICE_HPP_
