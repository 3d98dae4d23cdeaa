// SPDX-License-Identifier: Apache-2.0
//
// The part of NVIDIA's driver API that is simulated, declared anew after "CUDA Driver API" (13.0),
// the reference manual, and what of it the simulator is told. Names and numbers are the manual's.
// On purpose nothing here is shared with the backend that is tested: a wrong number there must meet
// the right one here.
#ifndef NEXUS_SIMULATED_CUDA_DRIVER_HPP_
#define NEXUS_SIMULATED_CUDA_DRIVER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

enum CUresult : int32_t {
#define CUDA_RESULT(name, number) name = number,
#include "results.def"
};

// ---- What the simulator is told of the driver -------------------------

namespace simulator {

using Result = CUresult;
constexpr Result kSuccess = CUDA_SUCCESS, kInvalidValue = CUDA_ERROR_INVALID_VALUE,
                 kOutOfMemory = CUDA_ERROR_OUT_OF_MEMORY,
                 kNotInitialized = CUDA_ERROR_NOT_INITIALIZED, kNoDevice = CUDA_ERROR_NO_DEVICE,
                 kInvalidDevice = CUDA_ERROR_INVALID_DEVICE,
                 kInvalidImage = CUDA_ERROR_INVALID_IMAGE,
                 kInvalidContext = CUDA_ERROR_INVALID_CONTEXT,
                 kOperatingSystem = CUDA_ERROR_OPERATING_SYSTEM,
                 kInvalidHandle = CUDA_ERROR_INVALID_HANDLE,
                 kIllegalState = CUDA_ERROR_ILLEGAL_STATE, kNotFound = CUDA_ERROR_NOT_FOUND,
                 kNotReady = CUDA_ERROR_NOT_READY, kIllegalAddress = CUDA_ERROR_ILLEGAL_ADDRESS,
                 kLaunchOutOfResources = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                 kContextIsDestroyed = CUDA_ERROR_CONTEXT_IS_DESTROYED,
                 kHostMemoryAlreadyRegistered = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                 kHostMemoryNotRegistered = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                 kIllegalInstruction = CUDA_ERROR_ILLEGAL_INSTRUCTION,
                 kLaunchFailed = CUDA_ERROR_LAUNCH_FAILED,
                 kCooperativeLaunchTooLarge = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                 kNotPermitted = CUDA_ERROR_NOT_PERMITTED, kNotSupported = CUDA_ERROR_NOT_SUPPORTED,
                 kStreamIsCaptured = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 kCaptureInvalidated = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                 kInvalidClusterSize = CUDA_ERROR_INVALID_CLUSTER_SIZE;

// Variables of the environment.
constexpr char kSettings[] = "NEXUS_SIMULATED_CUDA", kFailures[] = "NEXUS_SIMULATED_CUDA_FAIL";
constexpr const char *kVisibleDevices[] = {"CUDA_VISIBLE_DEVICES"};

// The machine, where no setting says otherwise.
constexpr int kDriverVersion = 13000, kArchitecture = 90;  // compute capability: major * 10 + minor

// The special handles of streams; 0 is the legacy one too.
constexpr uintptr_t kLegacyStream = 1, kPerThreadStream = 2;

// What stands in front of the values in a launch's list `extra`, and at its end.
constexpr uintptr_t kPackedParameters = 1, kPackedSize = 2, kEndOfPacked = 0;

// Host memory can't be registered twice, not even in part.
constexpr bool kRefusesOverlaps = true;

// The attributes of devices that the simulator looks at.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMaxSharedPerBlock = 8,
  kWarpSize = 10,
  kMultiprocessors = 16,
  kPciBus = 33,
  kMaxThreadsPerMultiprocessor = 39,
  kMaxSharedPerMultiprocessor = 81,
  kManagedMemory = 83,
  kCooperativeLaunch = 95,
  kMaxSharedPerBlockOptIn = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kMemoryPools = 115,
  kClusterLaunch = 120,
};

// Attributes that settings have a name for.
inline const std::map<std::string, int> kNamedAttributes;

// All attributes of the machine's device of that number. They are about those of a large GPU, so
// that limits are where a real one has them.
std::map<int, int> attributes_of(int number, int architecture);
std::array<unsigned char, 16> uuid_of(int number);
// As "00010203-0405-4007-8009-0a0b0c0d0e0f".
std::string uuid_text(int number);

}  // namespace simulator

// ---- Handles ----------------------------------------------------------

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUlibrary = struct CUlib_st *;
using CUkernel = struct CUkern_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;

using CUhostFn = void (*)(void *user);
using CUoccupancyB2DSize = size_t (*)(int block_size);

struct CUuuid {
  unsigned char bytes[16];
};

// ---- Memory -----------------------------------------------------------

enum : unsigned {
  CU_MEMHOSTREGISTER_IOMEMORY = 4,
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1,
};

enum CUmemorytype : int32_t {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_UNIFIED = 4,
};

enum CUpointer_attribute : int32_t {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
};

struct CUmemLocation {
  int32_t type;
  int id;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int32_t flags;
};

enum : int32_t {
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
};

struct CUmemPoolProps {
  int32_t allocType;
  int32_t handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

enum CUmemPool_attribute : int32_t {};  // see simulator/pool.hpp

struct CUipcMemHandle {
  char reserved[64];
};

struct CUipcEventHandle {
  char reserved[64];
};

struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

// ---- Streams, events --------------------------------------------------

enum : unsigned {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4,
  CU_EVENT_WAIT_EXTERNAL = 1,
};

// ---- Kernels ----------------------------------------------------------

enum CUfunction_attribute : int32_t {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_MAX = 16,
};

enum CUlaunchAttributeID : int32_t {
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};

union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
};

struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[4];
  CUlaunchAttributeValue value;
};

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

// ---- Graphs -----------------------------------------------------------

struct CUgraphEdgeData {
  unsigned char from_port, to_port, type;
  unsigned char reserved[5];
};
enum : unsigned char {
  CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1,
  CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC = 1,
};

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  CUkernel kern;
  CUcontext ctx;
};

using CUgraphConditionalHandle = uint64_t;

struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  int32_t type;
  unsigned size;
  CUgraph *phGraph_out;
  CUcontext ctx;
};

enum : int32_t {
  CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
  CU_GRAPH_COND_TYPE_IF = 0,
  CU_GRAPH_COND_TYPE_WHILE = 1,
};
enum : unsigned { CU_GRAPH_COND_ASSIGN_DEFAULT = 1 };

struct CUgraphNodeParams {
  int32_t type;
  int32_t reserved0[3];
  union {
    long long reserved1[29];
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
  };
  long long reserved2;
};

struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width;
  size_t height;
};

#endif  // NEXUS_SIMULATED_CUDA_DRIVER_HPP_
