// SPDX-License-Identifier: Apache-2.0
// Generated from schema/properties.json by `nox -s gen`. Do not edit.
// clang-format off
#pragma once

#include <cstdint>

#include <nexus-api/nxs.h>

namespace nexus::python {

/// A property that never changes while the object lives.
struct ConstantProperty {
  const char *name;
  nxs_property number;
  nxs_value_type type;
  std::uint32_t objects;  ///< Bit t: of objects of NXS_ObjectType t.
};

inline constexpr ConstantProperty kConstantProperties[] = {
    {"Name", NP_Name, NXS_ValueType_Str, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Buffer | 1U << NXS_ObjectType_Library | 1U << NXS_ObjectType_Kernel | 1U << NXS_ObjectType_Stream | 1U << NXS_ObjectType_Event | 1U << NXS_ObjectType_Schedule | 1U << NXS_ObjectType_Command},
    {"Type", NP_Type, NXS_ValueType_Str, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Library | 1U << NXS_ObjectType_Event | 1U << NXS_ObjectType_Command | 1U << NXS_ObjectType_Stream},
    {"ID", NP_ID, NXS_ValueType_Int, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Buffer | 1U << NXS_ObjectType_Library | 1U << NXS_ObjectType_Kernel | 1U << NXS_ObjectType_Stream | 1U << NXS_ObjectType_Event},
    {"Description", NP_Description, NXS_ValueType_Str, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device},
    {"Size", NP_Size, NXS_ValueType_Int, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Buffer | 1U << NXS_ObjectType_Library},
    {"Rank", NP_Rank, NXS_ValueType_Int, 1U << NXS_ObjectType_Buffer},
    {"SubUnitType", NP_SubUnitType, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"Vendor", NP_Vendor, NXS_ValueType_Str, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device},
    {"Architecture", NP_Architecture, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"Version", NP_Version, NXS_ValueType_Str, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device},
    {"MajorVersion", NP_MajorVersion, NXS_ValueType_Int, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device},
    {"MinorVersion", NP_MinorVersion, NXS_ValueType_Int, 1U << NXS_ObjectType_Runtime | 1U << NXS_ObjectType_Device},
    {"Features", NP_Features, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"GlobalMemorySize", NP_GlobalMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"CoreMemorySize", NP_CoreMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"CoreRegisterSize", NP_CoreRegisterSize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"SIMDSize", NP_SIMDSize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MemoryBusWidth", NP_MemoryBusWidth, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MaxThreadsPerBlock", NP_MaxThreadsPerBlock, NXS_ValueType_Int, 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Kernel},
    {"MaxThreadsPerThreadgroup", NP_MaxThreadsPerThreadgroup, NXS_ValueType_Int, 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Kernel},
    {"MaxThreadgroupsPerCore", NP_MaxThreadgroupsPerCore, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MaxThreadgroupMemorySize", NP_MaxThreadgroupMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Kernel},
    {"Location", NP_Location, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"UnifiedMemory", NP_UnifiedMemory, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MaxBufferSize", NP_MaxBufferSize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"DataType", NP_DataType, NXS_ValueType_Str, 1U << NXS_ObjectType_Buffer | 1U << NXS_ObjectType_Command | 1U << NXS_ObjectType_Device},
    {"Capabilities", NP_Capabilities, NXS_ValueType_Int, 1U << NXS_ObjectType_Runtime},
    {"BufferOffsetAlignment", NP_BufferOffsetAlignment, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"CoreCount", NP_CoreCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ThreadCount", NP_ThreadCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"CacheLineSize", NP_CacheLineSize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MaxArguments", NP_MaxArguments, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"Priority", NP_Priority, NXS_ValueType_Int, 1U << NXS_ObjectType_Stream},
    {"Path", NP_Path, NXS_ValueType_Str, 1U << NXS_ObjectType_Library},
    {"Convention", NP_Convention, NXS_ValueType_Str, 1U << NXS_ObjectType_Kernel},
    {"LocalMemorySize", NP_LocalMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Kernel},
    {"ReleaseYear", NP_ReleaseYear, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"FabricationProcess", NP_FabricationProcess, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"TransistorCount", NP_TransistorCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"DieSize", NP_DieSize, NXS_ValueType_Flt, 1U << NXS_ObjectType_Device},
    {"Family", NP_Family, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"Model", NP_Model, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"Stepping", NP_Stepping, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"UUID", NP_UUID, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"DriverVersion", NP_DriverVersion, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"ComputeCapability", NP_ComputeCapability, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"ThreadsPerCore", NP_ThreadsPerCore, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"SocketCount", NP_SocketCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"NumaNodeCount", NP_NumaNodeCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"NumaNode", NP_NumaNode, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MemoryBandwidth", NP_MemoryBandwidth, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"PageSize", NP_PageSize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"PCIAddress", NP_PCIAddress, NXS_ValueType_Str, 1U << NXS_ObjectType_Device},
    {"PCIVendorID", NP_PCIVendorID, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"PCIDeviceID", NP_PCIDeviceID, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"PreferredGroupMultiple", NP_PreferredGroupMultiple, NXS_ValueType_Int, 1U << NXS_ObjectType_Device | 1U << NXS_ObjectType_Kernel},
    {"CopyEngineCount", NP_CopyEngineCount, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ConcurrentKernels", NP_ConcurrentKernels, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"CooperativeLaunch", NP_CooperativeLaunch, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"TimeStampResolution", NP_TimeStampResolution, NXS_ValueType_Flt, 1U << NXS_ObjectType_Device},
    {"BufferAlignment", NP_BufferAlignment, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"Offset", NP_Offset, NXS_ValueType_Int, 1U << NXS_ObjectType_Buffer},
    {"RegistersPerThread", NP_RegistersPerThread, NXS_ValueType_Int, 1U << NXS_ObjectType_Kernel},
    {"PrivateMemorySize", NP_PrivateMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Kernel},
    {"Format", NP_Format, NXS_ValueType_Str, 1U << NXS_ObjectType_Library},
    {"Target", NP_Target, NXS_ValueType_Str, 1U << NXS_ObjectType_Library},
    {"DefaultThreadgroupMemorySize", NP_DefaultThreadgroupMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ReservedThreadgroupMemorySize", NP_ReservedThreadgroupMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ClusterLaunch", NP_ClusterLaunch, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"MemoryPools", NP_MemoryPools, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ManagedMemory", NP_ManagedMemory, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ConcurrentManagedAccess", NP_ConcurrentManagedAccess, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"PageableMemoryAccess", NP_PageableMemoryAccess, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"UnifiedAddressing", NP_UnifiedAddressing, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ProgrammaticLaunch", NP_ProgrammaticLaunch, NXS_ValueType_Int, 1U << NXS_ObjectType_Device},
    {"ConstantMemorySize", NP_ConstantMemorySize, NXS_ValueType_Int, 1U << NXS_ObjectType_Kernel},
};

}  // namespace nexus::python
