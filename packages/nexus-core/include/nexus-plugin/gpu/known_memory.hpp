// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_PLUGIN_GPU_KNOWN_MEMORY_HPP_
#define NEXUS_PLUGIN_GPU_KNOWN_MEMORY_HPP_

#include <nexus-api/nxs.h>

#include <cstdint>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

enum class MemoryPlace { kDevice, kHost, kManaged };

// The driver's answer about an address.
struct KnownMemory {
  bool known = false;  // whether the driver manages it
  MemoryPlace place = MemoryPlace::kDevice;
  int ordinal = -1;       // of its device
  bool for_peers = true;  // devices with access to its device can use it
  bool mapped = false;    // into a range of addresses, where another allocation may follow it
  // The allocation that contains the address.
  uint64_t begin = 0;
  uint64_t size = 0;
  // The address for the current device and for the host; 0 and NULL if they can't access it.
  uint64_t device_address = 0;
  void *host_address = nullptr;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_KNOWN_MEMORY_HPP_
