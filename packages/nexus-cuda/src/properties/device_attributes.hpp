// SPDX-License-Identifier: Apache-2.0
// The numbers that the driver tells of a device (cuDeviceGetAttribute), and which property of the
// catalogue each one is. MaxGroupSize, MaxGridSize, ComputeCapability and PCIAddress take several
// and ComputeMode is a text: they are in device_properties.cpp.
#ifndef NEXUS_CUDA_DEVICE_ATTRIBUTES_HPP_
#define NEXUS_CUDA_DEVICE_ATTRIBUTES_HPP_

#include "device/device.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nexus_cuda NXS_HIDDEN {

// Those that the plug-in only tells of; cuda_types.hpp has the others.
enum : CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
};

// How the driver's number becomes the property's. Nothing where it stands for "not known".
namespace convert {
inline std::optional<int64_t> count(int told) {
  return told > 0 ? std::optional<int64_t>(told) : std::nullopt;
}
inline std::optional<int64_t> count_or_none(int told) {
  return told >= 0 ? std::optional<int64_t>(told) : std::nullopt;
}
inline std::optional<int64_t> yes_or_no(int told) {
  return told != 0 ? 1 : 0;
}
inline std::optional<int64_t> kilohertz_to_megahertz(int told) {
  return count(told / 1000);
}
inline std::optional<int64_t> registers_to_bytes(int told) {
  return told > 0 ? std::optional<int64_t>(int64_t{told} * 4) : std::nullopt;
}
}  // namespace convert

// Whether a property stands in Limits too.
enum class Place { kTop, kLimits };

struct AttributeProperty {
  CUdevice_attribute attribute;
  nxs_property property;
  std::optional<int64_t> (*converted)(int told);
  Place place = Place::kTop;
};

inline constexpr AttributeProperty kAttributeProperties[] = {
    // Cores.
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, NP_Count, convert::count},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, NP_CoreCount, convert::count},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, NP_SIMDSize, convert::count},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, NP_PreferredGroupMultiple, convert::count},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, NP_CoreClockRate, convert::kilohertz_to_megahertz},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, NP_CoreMemorySize, convert::count},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, NP_CoreRegisterSize,
     convert::registers_to_bytes},
    // Groups.
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, NP_MaxThreadsPerBlock, convert::count,
     Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, NP_MaxThreadsPerThreadgroup, convert::count},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, NP_MaxThreadsPerCore, convert::count,
     Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, NP_MaxThreadgroupsPerCore, convert::count,
     Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, NP_MaxRegistersPerBlock, convert::count,
     Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, NP_MaxThreadgroupMemorySize,
     convert::count, Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, NP_DefaultThreadgroupMemorySize,
     convert::count, Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, NP_ReservedThreadgroupMemorySize,
     convert::count_or_none, Place::kLimits},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, NP_MaxConstantMemorySize, convert::count,
     Place::kLimits},
    // Memory.
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, NP_MemoryClockRate, convert::kilohertz_to_megahertz},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, NP_MemoryBusWidth, convert::count},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, NP_ECC, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, NP_UnifiedMemory, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, NP_UnifiedAddressing, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, NP_ManagedMemory, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, NP_ConcurrentManagedAccess, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, NP_PageableMemoryAccess, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, NP_MemoryPools, convert::yes_or_no},
    // Work.
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, NP_CopyEngineCount, convert::count_or_none},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, NP_ConcurrentKernels, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, NP_CooperativeLaunch, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, NP_ClusterLaunch, convert::yes_or_no},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, NP_KernelTimeLimit, convert::yes_or_no},
    // Place.
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, NP_NumaNode, convert::count_or_none},
};

inline std::optional<int64_t> read_attribute(const Device &device, const AttributeProperty &entry) {
  const auto told = device.attribute(entry.attribute);
  return told ? entry.converted(*told) : std::nullopt;
}

// A property of the table; nothing where it is not known, and for one that is not in it.
std::optional<int64_t> read_attribute(const Device &device, nxs_property property);

// All attributes that are no property of the catalogue, a JSON object: what the driver answers,
// in its own units.
std::string other_attributes_json(const Device &device);

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_DEVICE_ATTRIBUTES_HPP_
