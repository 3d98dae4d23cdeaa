// SPDX-License-Identifier: Apache-2.0
//
// The numbers of Metal that are simulated, declared anew after Apple's "Metal" reference (macOS
// 15), and what the simulator is told of it. On purpose nothing here is shared with the backend
// that is tested: a wrong number there must meet the right one here.
#ifndef NEXUS_SIMULATED_METAL_DRIVER_HPP_
#define NEXUS_SIMULATED_METAL_DRIVER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

enum MTLCommandBufferError : int32_t {
  MTLCommandBufferErrorNone = 0,
  MTLCommandBufferErrorInternal = 1,
  MTLCommandBufferErrorTimeout = 2,
  MTLCommandBufferErrorPageFault = 3,
  MTLCommandBufferErrorNotPermitted = 7,
  MTLCommandBufferErrorOutOfMemory = 8,
  kNoSuchError = 1000,  // what Metal has no number for, as misuse ends the process
};

// ---- What the simulator is told of the driver -------------------------

namespace simulator {

using Result = MTLCommandBufferError;
constexpr Result kSuccess = MTLCommandBufferErrorNone,
                 kOutOfMemory = MTLCommandBufferErrorOutOfMemory,
                 kIllegalAddress = MTLCommandBufferErrorPageFault,
                 kIllegalInstruction = MTLCommandBufferErrorInternal,
                 kLaunchFailed = MTLCommandBufferErrorInternal,
                 kLaunchOutOfResources = MTLCommandBufferErrorInternal,
                 kNotPermitted = MTLCommandBufferErrorNotPermitted, kInvalidValue = kNoSuchError,
                 kNotInitialized = kNoSuchError, kNoDevice = kNoSuchError,
                 kInvalidDevice = kNoSuchError, kInvalidImage = kNoSuchError,
                 kInvalidContext = kNoSuchError, kOperatingSystem = kNoSuchError,
                 kInvalidHandle = kNoSuchError, kIllegalState = kNoSuchError,
                 kNotFound = kNoSuchError, kNotReady = kNoSuchError,
                 kContextIsDestroyed = kNoSuchError, kHostMemoryAlreadyRegistered = kNoSuchError,
                 kHostMemoryNotRegistered = kNoSuchError, kCooperativeLaunchTooLarge = kNoSuchError,
                 kNotSupported = kNoSuchError, kStreamIsCaptured = kNoSuchError,
                 kCaptureInvalidated = kNoSuchError, kInvalidClusterSize = kNoSuchError;

// Variables of the environment; none selects among the devices.
constexpr char kSettings[] = "NEXUS_SIMULATED_METAL", kFailures[] = "NEXUS_SIMULATED_METAL_FAIL";
constexpr std::array<const char *, 0> kVisibleDevices{};

// The machine, where no setting says otherwise: macOS 13, Apple's seventh family (M1).
constexpr int kDriverVersion = 13, kArchitecture = 7;

// Of other drivers.
constexpr uintptr_t kLegacyStream = 1, kPerThreadStream = 2;
constexpr uintptr_t kPackedParameters = 1, kPackedSize = 2, kEndOfPacked = 3;
constexpr bool kRefusesOverlaps = false;

// The attributes of devices that the simulator looks at, and those that settings name.
enum Attribute : int {
  kCooperativeLaunch,
  kMaxBlocksPerMultiprocessor,
  kMaxBlockX,
  kMaxBlockY,
  kMaxBlockZ,
  kMaxGridX,
  kMaxGridY,
  kMaxGridZ,
  kMaxThreadsPerBlock,
  kMaxThreadsPerMultiprocessor,
  kMultiprocessors,
  kMaxSharedPerBlock,
  kMaxSharedPerBlockOptIn,
  kMaxSharedPerMultiprocessor,
  kWarpSize,
  kMemoryPools,
  kClusterLaunch,
  kUnified,   // the GPU's memory is the host's
  kPageSize,  // bytes, of the host
};
inline const std::map<std::string, int> kNamedAttributes{{"unified", kUnified},
                                                         {"page", kPageSize}};

// All attributes of the machine's device of that number.
std::map<int, int> attributes_of(int number, int architecture);
std::string uuid_text(int number);

}  // namespace simulator

// ---- Metal ------------------------------------------------------------

using NSUInteger = uint64_t;
using NSInteger = int64_t;

struct MTLSize {
  NSUInteger width, height, depth;
};
struct NSRange {
  NSUInteger location, length;
};

// MTLStorageMode.
enum : NSUInteger {
  MTLStorageModeManaged = 1,
  MTLStorageModePrivate = 2,
};
// MTLCommandBufferStatus.
enum : NSUInteger {
  MTLCommandBufferStatusNotEnqueued = 0,
  MTLCommandBufferStatusEnqueued = 1,
  MTLCommandBufferStatusCommitted = 2,
  MTLCommandBufferStatusScheduled = 3,
  MTLCommandBufferStatusCompleted = 4,
  MTLCommandBufferStatusError = 5,
};
// MTLGPUFamily.
enum : NSInteger {
  MTLGPUFamilyApple1 = 1001,
  MTLGPUFamilyMac1 = 2001,
  MTLGPUFamilyMac2 = 2002,
  MTLGPUFamilyCommon1 = 3001,
  MTLGPUFamilyCommon3 = 3003,
  MTLGPUFamilyMetal3 = 5001,
};
// MTLLibraryError.
enum : int {
  MTLLibraryErrorInternal = 2,
  MTLLibraryErrorCompileFailure = 3,
  MTLLibraryErrorCompileWarning = 4,
  MTLLibraryErrorFileNotFound = 6,
};
// MTLArgumentType, as MTLBindingType.
enum : NSUInteger { MTLArgumentTypeBuffer = 0, MTLArgumentTypeThreadgroupMemory = 1 };
// MTLArgumentAccess.
enum : NSUInteger { MTLArgumentAccessReadOnly = 0, MTLArgumentAccessReadWrite = 1 };
// MTLPipelineOption.
enum : NSUInteger { MTLPipelineOptionArgumentInfo = 1, MTLPipelineOptionBufferTypeInfo = 2 };
// MTLFunctionType.
enum : NSUInteger { MTLFunctionTypeKernel = 3 };

#endif  // NEXUS_SIMULATED_METAL_DRIVER_HPP_
