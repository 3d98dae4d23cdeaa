// SPDX-License-Identifier: Apache-2.0
//
// The part of HIP that is simulated, declared anew after the "HIP Runtime API Reference" (7.0), and
// what of it the simulator is told. Names and numbers are the reference's. On purpose nothing here
// is shared with the backend that is tested: a wrong number there must meet the right one here.
#ifndef NEXUS_SIMULATED_HIP_DRIVER_HPP_
#define NEXUS_SIMULATED_HIP_DRIVER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

enum hipError_t : int32_t {
#define HIP_RESULT(name, number) name = number,
#include "results.def"
};

// ---- What the simulator is told of the driver -------------------------

namespace simulator {

using Result = hipError_t;
constexpr Result kSuccess = hipSuccess, kInvalidValue = hipErrorInvalidValue,
                 kOutOfMemory = hipErrorOutOfMemory, kNotInitialized = hipErrorNotInitialized,
                 kNoDevice = hipErrorNoDevice, kInvalidDevice = hipErrorInvalidDevice,
                 kInvalidImage = hipErrorInvalidImage, kInvalidContext = hipErrorInvalidContext,
                 kOperatingSystem = hipErrorOperatingSystem, kInvalidHandle = hipErrorInvalidHandle,
                 kIllegalState = hipErrorIllegalState, kNotFound = hipErrorNotFound,
                 kNotReady = hipErrorNotReady, kIllegalAddress = hipErrorIllegalAddress,
                 kLaunchOutOfResources = hipErrorLaunchFailure,
                 kContextIsDestroyed = hipErrorContextIsDestroyed,
                 kHostMemoryAlreadyRegistered = hipErrorHostMemoryAlreadyRegistered,
                 kHostMemoryNotRegistered = hipErrorHostMemoryNotRegistered,
                 kIllegalInstruction = hipErrorLaunchFailure, kLaunchFailed = hipErrorLaunchFailure,
                 kCooperativeLaunchTooLarge = hipErrorCooperativeLaunchTooLarge,
                 kNotPermitted = hipErrorNotSupported, kNotSupported = hipErrorNotSupported,
                 kStreamIsCaptured = hipErrorStreamCaptureUnsupported,
                 kCaptureInvalidated = hipErrorStreamCaptureInvalidated,
                 kInvalidClusterSize = hipErrorNotSupported;

// Variables of the environment. HIP itself looks at the last one only where the one before is not
// set.
constexpr char kSettings[] = "NEXUS_SIMULATED_HIP", kFailures[] = "NEXUS_SIMULATED_HIP_FAIL";
constexpr const char *kVisibleDevices[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                           "CUDA_VISIBLE_DEVICES"};

// The machine, where no setting says otherwise: HIP 7.0.51831, gfx942.
constexpr int kDriverVersion = 70051831, kArchitecture = 942;

// The special handles of streams; 0 is the legacy one too.
constexpr uintptr_t kLegacyStream = 1, kPerThreadStream = 2;

// What stands in front of the values in a launch's list `extra`, and at its end.
constexpr uintptr_t kPackedParameters = 1, kPackedSize = 2, kEndOfPacked = 3;

// Host memory can be registered again: one that begins elsewhere hides the first from there on, and
// one that begins there changes nothing, and is gone with the first.
constexpr bool kRefusesOverlaps = false;

// The attributes of devices that the simulator looks at.
enum Attribute : int {
  kCooperativeLaunch = 10,
  kManagedMemory = 24,
  kMaxBlocksPerMultiprocessor = 25,
  kMaxBlockX = 26,
  kMaxBlockY = 27,
  kMaxBlockZ = 28,
  kMaxGridX = 29,
  kMaxGridY = 30,
  kMaxGridZ = 31,
  kMaxThreadsPerBlock = 56,
  kMaxThreadsPerMultiprocessor = 57,
  kMultiprocessors = 63,
  kPciBus = 67,
  kMaxSharedPerBlock = 74,
  kMaxSharedPerBlockOptIn = 75,
  kWarpSize = 87,
  kMemoryPools = 88,
  kMaxSharedPerMultiprocessor = 10002,
  kClusterLaunch = -1,  // none of HIP's
};

// Attributes that settings have a name for.
inline const std::map<std::string, int> kNamedAttributes;

// All attributes of the machine's device of that number. They are about those of an MI300X, so that
// limits are where a real one has them; from gfx1000 on waves are of 32.
std::map<int, int> attributes_of(int number, int architecture);
// The 16 hexadecimal digits that HIP tells as a UUID, and ROCR after "GPU-".
std::array<unsigned char, 16> uuid_of(int number);
std::string uuid_text(int number);

}  // namespace simulator

// ---- Devices ----------------------------------------------------------

struct hipUUID {
  char bytes[16];
};

// Bits that tell what an architecture can.
struct hipDeviceArch_t {
  unsigned bits;
};

// Up to ROCm 5.
struct hipDeviceProp_tR0000 {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  int memoryClockRate, memoryBusWidth;
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  int integrated, cooperativeLaunch, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3];
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  size_t memPitch, textureAlignment, texturePitchAlignment;
  int kernelExecTimeoutEnabled, ECCEnabled, tccDriver, cooperativeMultiDeviceUnmatchedFunc;
  int cooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedBlockDim;
  int cooperativeMultiDeviceUnmatchedSharedMem, isLargeBar, asicRevision, managedMemory;
  int directManagedMemAccessFromHost, concurrentManagedAccess, pageableMemoryAccess;
  int pageableMemoryAccessUsesHostPageTables;
};
static_assert(sizeof(hipDeviceProp_tR0000) == 792);

// From ROCm 6 on.
struct hipDeviceProp_tR0600 {
  char name[256];
  hipUUID uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
  int computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
  int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
  int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
  int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63], hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
  int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem;
  int isLargeBar, asicRevision;
};
static_assert(sizeof(hipDeviceProp_tR0600) == 1472);

// ---- Handles ----------------------------------------------------------

using hipDeviceptr_t = void *;
using hipStream_t = struct ihipStream_t *;
using hipEvent_t = struct ihipEvent_t *;
using hipMemPool_t = struct ihipMemPoolHandle_t *;
using hipModule_t = struct ihipModule_t *;
using hipFunction_t = struct ihipModuleSymbol_t *;
using hipGraph_t = struct ihipGraph *;
using hipGraphNode_t = struct hipGraphNode *;
using hipGraphExec_t = struct hipGraphExec *;

using hipDevice_t = int;
using hipDeviceAttribute_t = int;
using hipMemPoolAttr = int;
using hipStreamCaptureStatus = int;
using hipStreamCaptureMode = int;
using hipGraphNodeType = int;

using hipHostFn_t = void (*)(void *user);
using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void *user);

// ---- Memory -----------------------------------------------------------

enum : unsigned {
  hipHostMallocCoherent = 0x40000000,
  hipHostMallocNonCoherent = 0x80000000,
  hipMemAttachGlobal = 1,
  hipMemAttachHost = 2,
};

enum hipPointer_attribute : int32_t {
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
};

enum hipMemcpyKind : int32_t {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
};

enum : int32_t {
  hipMemLocationTypeDevice = 1,
  hipMemAllocationTypePinned = 1,
  hipMemHandleTypeNone = 0,
};

struct hipMemLocation {
  int32_t type;
  int id;
};

struct hipMemAccessDesc {
  hipMemLocation location;
  int32_t flags;
};

struct hipMemPoolProps {
  int32_t allocType;
  int32_t handleTypes;
  hipMemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
};

struct hipIpcMemHandle_t {
  char reserved[64];
};

struct hipIpcEventHandle_t {
  char reserved[64];
};

// ---- Streams, events --------------------------------------------------

enum : unsigned {
  hipStreamNonBlocking = 1,
  hipEventBlockingSync = 1,
  hipEventDisableTiming = 2,
  hipEventInterprocess = 4,
  hipEventDisableSystemFence = 0x20000000,
};

// ---- Kernels, graphs --------------------------------------------------

enum hipFunction_attribute : int32_t {
  HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
  HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

enum hipKernelNodeAttrID : int32_t { hipKernelNodeAttributeCooperative = 2 };
union hipKernelNodeAttrValue {
  char pad[32];
  int cooperative;
};

struct dim3 {
  uint32_t x, y, z;
};

struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  unsigned sharedMemBytes;
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

struct hipMemsetParams {
  void *dst;
  unsigned elementSize;
  size_t height;
  size_t pitch;
  unsigned value;
  size_t width;
};

#endif  // NEXUS_SIMULATED_HIP_DRIVER_HPP_
