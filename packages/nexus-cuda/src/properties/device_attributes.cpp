// SPDX-License-Identifier: Apache-2.0
#include "properties/device_attributes.hpp"

#include <nexus-plugin/json.hpp>

namespace nexus_cuda NXS_HIDDEN {
namespace {

struct OtherAttribute {
  CUdevice_attribute number;
  const char *name;  // the driver's after CU_DEVICE_ATTRIBUTE_, as our names are written
};

// Those that drivers no longer answer, or answer by another number, are left out.
constexpr OtherAttribute kOtherAttributes[] = {
    // Textures and surfaces: elements, and bytes where the name ends with Pitch or Alignment.
    {14, "TextureAlignment"},
    {51, "TexturePitchAlignment"},
    {30, "SurfaceAlignment"},
    {21, "MaxTexture1DWidth"},
    {77, "MaxTexture1DMipmappedWidth"},
    {42, "MaxTexture1DLayeredWidth"},
    {43, "MaxTexture1DLayeredLayers"},
    {69, "MaxTexture1DLinearWidth"},
    {22, "MaxTexture2DWidth"},
    {23, "MaxTexture2DHeight"},
    {73, "MaxTexture2DMipmappedWidth"},
    {74, "MaxTexture2DMipmappedHeight"},
    {27, "MaxTexture2DLayeredWidth"},
    {28, "MaxTexture2DLayeredHeight"},
    {29, "MaxTexture2DLayeredLayers"},
    {70, "MaxTexture2DLinearWidth"},
    {71, "MaxTexture2DLinearHeight"},
    {72, "MaxTexture2DLinearPitch"},
    {44, "CanTexture2DGather"},
    {45, "MaxTexture2DGatherWidth"},
    {46, "MaxTexture2DGatherHeight"},
    {24, "MaxTexture3DWidth"},
    {25, "MaxTexture3DHeight"},
    {26, "MaxTexture3DDepth"},
    {47, "MaxTexture3DAlternateWidth"},
    {48, "MaxTexture3DAlternateHeight"},
    {49, "MaxTexture3DAlternateDepth"},
    {52, "MaxTextureCubemapWidth"},
    {53, "MaxTextureCubemapLayeredWidth"},
    {54, "MaxTextureCubemapLayeredLayers"},
    {55, "MaxSurface1DWidth"},
    {61, "MaxSurface1DLayeredWidth"},
    {62, "MaxSurface1DLayeredLayers"},
    {56, "MaxSurface2DWidth"},
    {57, "MaxSurface2DHeight"},
    {63, "MaxSurface2DLayeredWidth"},
    {64, "MaxSurface2DLayeredHeight"},
    {65, "MaxSurface2DLayeredLayers"},
    {58, "MaxSurface3DWidth"},
    {59, "MaxSurface3DHeight"},
    {60, "MaxSurface3DDepth"},
    {66, "MaxSurfaceCubemapWidth"},
    {67, "MaxSurfaceCubemapLayeredWidth"},
    {68, "MaxSurfaceCubemapLayeredLayers"},
    {112, "SparseArrays"},
    {121, "DeferredMappingArrays"},
    // Caches and memory: bytes, and 1 or 0.
    {11, "MaxPitch"},
    {79, "GlobalL1Cache"},
    {80, "LocalL1Cache"},
    {108, "MaxPersistingL2CacheSize"},
    {109, "MaxAccessPolicyWindowSize"},
    {107, "GenericCompression"},
    {136, "MemoryDecompressionAlgorithms"},
    {137, "MaxMemoryDecompressionLength"},
    {102, "VirtualMemoryManagement"},
    {101, "DirectManagedMemoryAccessFromHost"},
    {126, "MemorySyncDomainCount"},
    {127, "TensorMapAccess"},
    // The host's memory.
    {19, "CanMapHostMemory"},
    {99, "HostRegister"},
    {113, "ReadOnlyHostRegister"},
    {91, "CanUseHostPointerForRegisteredMemory"},
    {100, "PageableMemoryAccessUsesHostPageTables"},
    {86, "HostNativeAtomics"},
    {147, "OnlyPartialHostNativeAtomics"},
    {130, "NumaConfiguration"},
    {131, "NumaNodeOfMemory"},
    {141, "HostNumaVirtualMemoryManagement"},
    {142, "HostNumaMemoryPools"},
    {143, "HostNumaMultinodeIPC"},
    {144, "HostMemoryPools"},
    {145, "HostVirtualMemoryManagement"},
    // What other processes and devices are given.
    {103, "PosixFileDescriptorHandles"},
    {104, "Win32Handles"},
    {105, "Win32KmtHandles"},
    {128, "FabricHandles"},
    {119, "MemoryPoolHandleTypes"},
    {125, "InterprocessEvents"},
    {132, "Multicast"},
    {124, "DMABuffers"},
    {146, "HostAllocationDMABuffers"},
    {116, "GPUDirectRDMA"},
    {110, "GPUDirectRDMAWithVirtualMemory"},
    {117, "GPUDirectRDMAFlushOptions"},
    {118, "GPUDirectRDMAWriteOrdering"},
    {114, "TimelineSemaphores"},
    {135, "GraphicsQueuesOfD3D12"},
    {138, "GraphicsQueuesOfVulkan"},
    // Work.
    {78, "StreamPriorities"},
    {90, "ComputePreemption"},
    {87, "SingleToDoublePerformanceRatio"},
    {129, "UnifiedFunctionPointers"},
    {122, "StreamMemoryOperationsOf64Bit"},
    {123, "StreamWaitValueNor"},
    {98, "CanFlushRemoteWrites"},
    {148, "StreamAtomicReduction"},
    {133, "MPS"},
    // The board.
    {35, "TCCDriver"},
    {84, "MultiGPUBoard"},
    {85, "MultiGPUBoardGroup"},
    {140, "PCISubsystem"},
};

}  // namespace

std::optional<int64_t> read_attribute(const Device &device, nxs_property property) {
  for (const AttributeProperty &entry : kAttributeProperties) {
    if (entry.property == property) return read_attribute(device, entry);
  }
  return {};
}

std::string other_attributes_json(const Device &device) {
  nexus_plugin::JsonObject out;
  for (const OtherAttribute &other : kOtherAttributes) {
    if (const auto told = device.attribute(other.number)) {
      out.add_json(other.name, std::to_string(*told));
    }
  }
  return out.done();
}

}  // namespace nexus_cuda
