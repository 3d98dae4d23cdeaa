// SPDX-License-Identifier: Apache-2.0
// The types and numbers of AMD's HIP that this plug-in uses, as ROCm 5.2 and later have them. Our
// own declarations, so that no ROCm is needed; the names are HIP's. Where versions differ it is
// said; all other numbers hold for all of them.
#ifndef NEXUS_HIP_HIP_TYPES_HPP_
#define NEXUS_HIP_HIP_TYPES_HPP_

#include <nexus-api/nxs.h>

#include <cstddef>
#include <cstdint>

namespace nexus_hip NXS_HIDDEN {

// ---- Handles ----------------------------------------------------------

using hipDevice_t = int;
using hipDeviceptr_t = void *;
using hipStream_t = struct ihipStream_t *;
using hipEvent_t = struct ihipEvent_t *;
using hipModule_t = struct ihipModule_t *;
using hipFunction_t = struct ihipModuleSymbol_t *;
using hipMemPool_t = struct ihipMemPoolHandle_t *;
using hipGraph_t = struct ihipGraph *;
using hipGraphNode_t = struct hipGraphNode *;
using hipGraphExec_t = struct hipGraphExec *;

struct hipUUID {
  char bytes[16];
};

// ---- Errors -----------------------------------------------------------

using hipError_t = int;
enum : hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorNotInitialized = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInsufficientDriver = 35,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidImage = 200,
  hipErrorNoBinaryForGpu = 209,
  hipErrorECCNotCorrectable = 214,
  hipErrorUnsupportedLimit = 215,
  hipErrorPeerAccessUnsupported = 217,
  hipErrorInvalidKernelFile = 218,
  hipErrorInvalidSource = 300,
  hipErrorInvalidHandle = 400,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorLaunchOutOfResources = 701,
  hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorContextIsDestroyed = 709,
  hipErrorAssert = 710,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
};

// ---- Devices ----------------------------------------------------------

// The attributes that have a name here; device_properties.cpp has the numbers of others. The
// numbers are the same in all versions; an older version returns hipErrorInvalidValue for newer
// ones. The last two came after ROCm 5.2.3.
using hipDeviceAttribute_t = int;
enum : hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled = 0,
  hipDeviceAttributeAsyncEngineCount = 2,
  hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeComputeMode = 6,
  hipDeviceAttributeConcurrentKernels = 8,
  hipDeviceAttributeConcurrentManagedAccess = 9,
  hipDeviceAttributeCooperativeLaunch = 10,
  hipDeviceAttributeIntegrated = 16,
  hipDeviceAttributeKernelExecTimeout = 18,
  hipDeviceAttributeL2CacheSize = 19,
  hipDeviceAttributeManagedMemory = 24,
  hipDeviceAttributeMaxBlocksPerMultiProcessor = 25,
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
  hipDeviceAttributeMemoryBusWidth = 59,
  hipDeviceAttributeMemoryClockRate = 60,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributePageableMemoryAccess = 65,
  hipDeviceAttributeMaxRegistersPerBlock = 71,
  hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeStreamPrioritiesSupported = 78,
  hipDeviceAttributeTotalConstantMemory = 83,
  hipDeviceAttributeUnifiedAddressing = 85,
  hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMemoryPoolsSupported = 88,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
  hipDeviceAttributePhysicalMultiProcessorCount = 10015,
  hipDeviceAttributeHostNumaId = 92,
  hipDeviceAttributePciChipId = 10020,
};

// Of the struct of properties, which has one layout before ROCm 6 and another since, only the name
// of the architecture is read: attributes tell the rest.
struct hipDeviceProp_tR0000 {
  char before[396];
  char gcnArchName[256];
  char after[140];
};
struct hipDeviceProp_tR0600 {
  char before[1160];
  char gcnArchName[256];
  char after[56];
};

// ---- Memory -----------------------------------------------------------

// Before ROCm 6 host memory is 0 and device memory 1. hipPointerGetAttribute reports managed memory
// as host memory. For memory that HIP does not know it returns hipErrorInvalidValue, and
// hipDrvPointerGetAttributes writes 0.
using hipMemoryType = int;
enum : hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
};

using hipPointer_attribute = int;
enum : hipPointer_attribute {
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,  // a bool
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
};

inline constexpr unsigned hipHostMallocPortable = 1, hipHostMallocMapped = 2;
inline constexpr unsigned hipHostRegisterPortable = 1, hipHostRegisterMapped = 2;
inline constexpr unsigned hipMemAttachGlobal = 1;

using hipMemcpyKind = int;
enum : hipMemcpyKind {
  hipMemcpyDefault = 4,
};

struct hipPos {
  size_t x, y, z;
};
struct hipExtent {
  size_t width, height, depth;
};
struct hipPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct hipMemcpy3DParms {
  void *srcArray;
  hipPos srcPos;
  hipPitchedPtr srcPtr;
  void *dstArray;
  hipPos dstPos;
  hipPitchedPtr dstPtr;
  hipExtent extent;
  hipMemcpyKind kind;
};

using hipMemAllocationType = int;
enum : hipMemAllocationType { hipMemAllocationTypePinned = 1 };
using hipMemLocationType = int;
enum : hipMemLocationType { hipMemLocationTypeDevice = 1 };

struct hipMemLocation {
  hipMemLocationType type;
  int id;  // the device's ordinal
};

struct hipMemPoolProps {
  hipMemAllocationType allocType;
  int handleTypes;  // 0: none
  hipMemLocation location;
  void *win32SecurityAttributes;
  unsigned char after[64];  // zeros
};

using hipMemPoolAttr = int;
enum : hipMemPoolAttr {
  hipMemPoolReuseAllowInternalDependencies = 3,
  hipMemPoolAttrReleaseThreshold = 4,
  hipMemPoolAttrReservedMemCurrent = 5,
  hipMemPoolAttrUsedMemCurrent = 7,
};

struct hipMemAccessDesc {
  hipMemLocation location;
  int flags;
};
enum : int { hipMemAccessFlagsProtReadWrite = 3 };

struct hipIpcMemHandle_t {
  char reserved[64];
};
struct hipIpcEventHandle_t {
  char reserved[64];
};
// ROCm 5 has 0 for it.
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = 1;

// ---- Streams and events -----------------------------------------------

// Streams that are there without being made; NULL is another.
enum : uintptr_t { hipStreamPerThread = 2 };

inline constexpr unsigned hipStreamNonBlocking = 1, hipEventDefault = 0;
inline constexpr unsigned hipEventBlockingSync = 1, hipEventDisableTiming = 2;
inline constexpr unsigned hipEventInterprocess = 4;

using hipStreamCaptureStatus = int;
enum : hipStreamCaptureStatus { hipStreamCaptureStatusNone = 0 };
using hipStreamCaptureMode = int;
enum : hipStreamCaptureMode { hipStreamCaptureModeRelaxed = 2 };

using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void *userData);

// ---- Kernels ----------------------------------------------------------

// Markers in a launch's `extra`, as pointers: before the arguments' address, before the address of
// their size, and at the end.
enum : uintptr_t {
  HIP_LAUNCH_PARAM_BUFFER_POINTER = 1,
  HIP_LAUNCH_PARAM_BUFFER_SIZE = 2,
  HIP_LAUNCH_PARAM_END = 3,
};

// ---- Graphs -----------------------------------------------------------

// The first ROCm 5 have these numbers for other nodes, and no nodes of memory.
using hipGraphNodeType = int;
enum : hipGraphNodeType {
  hipGraphNodeTypeGraph = 4,
  hipGraphNodeTypeMemAlloc = 10,
  hipGraphNodeTypeMemFree = 11,
};

struct dim3 {
  unsigned x, y, z;
};

struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;  // a hipFunction_t, or a function of the host
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
};

struct hipMemsetParams {
  void *dst;
  unsigned elementSize;  // bytes: 1, 2 or 4
  size_t height;         // rows
  size_t pitch;
  unsigned value;
  size_t width;  // elements
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_HIP_TYPES_HPP_
