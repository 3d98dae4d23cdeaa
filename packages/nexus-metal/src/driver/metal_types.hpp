// SPDX-License-Identifier: Apache-2.0
// Metal's types and numbers, the only place where they are written. Those with Apple's names have
// Apple's values: tests/macos compares them.
#ifndef NEXUS_METAL_METAL_TYPES_HPP_
#define NEXUS_METAL_METAL_TYPES_HPP_

#include <nexus-api/nxs.h>

#include <cstdint>

namespace nexus_metal NXS_HIDDEN {

using id = struct objc_object *;
using SEL = struct objc_selector *;
using BOOL = bool;  // of 64-bit Arm
using NSInteger = long;
using NSUInteger = unsigned long;
using CFTimeInterval = double;
using Block = const void *;

struct MTLSize {
  NSUInteger width, height, depth;
};
struct NSRange {
  NSUInteger location, length;
};

constexpr NSUInteger MTLResourceStorageModeShared = 0;
constexpr NSUInteger MTLResourceStorageModePrivate = 32;

constexpr NSUInteger MTLCommandBufferStatusCompleted = 4;
constexpr NSInteger MTLCaptureDestinationGPUTraceDocument = 2;

constexpr NSInteger MTLCommandBufferErrorTimeout = 2;
constexpr NSInteger MTLCommandBufferErrorPageFault = 3;
constexpr NSInteger MTLCommandBufferErrorAccessRevoked = 4;
constexpr NSInteger MTLCommandBufferErrorNotPermitted = 7;
constexpr NSInteger MTLCommandBufferErrorOutOfMemory = 8;
constexpr NSInteger MTLCommandBufferErrorInvalidResource = 9;
constexpr NSInteger MTLCommandBufferErrorDeviceRemoved = 11;
constexpr NSInteger MTLCommandBufferErrorStackOverflow = 12;

constexpr NSInteger MTLGPUFamilyApple1 = 1001;
constexpr NSInteger MTLGPUFamilyMac2 = 2002;
constexpr NSInteger MTLGPUFamilyMetal3 = 5001;

constexpr NSUInteger MTLLanguageVersion2_4 = 131076;
constexpr NSUInteger MTLLanguageVersion3_0 = 196608;
constexpr NSUInteger MTLLanguageVersion3_1 = 196609;

constexpr NSUInteger MTLPipelineOptionArgumentInfo = 1;
constexpr NSInteger MTLBindingTypeBuffer = 0;
constexpr NSInteger MTLBindingTypeThreadgroupMemory = 1;
constexpr NSUInteger MTLArgumentAccessReadOnly = 0;

constexpr NSUInteger MTLDataTypeFloat = 3;
constexpr NSUInteger MTLDataTypeHalf = 16;
constexpr NSUInteger MTLDataTypeInt = 29;
constexpr NSUInteger MTLDataTypeUInt = 33;
constexpr NSUInteger MTLDataTypeShort = 37;
constexpr NSUInteger MTLDataTypeUShort = 41;
constexpr NSUInteger MTLDataTypeChar = 45;
constexpr NSUInteger MTLDataTypeUChar = 49;
constexpr NSUInteger MTLDataTypeBool = 53;
constexpr NSUInteger MTLDataTypeLong = 81;
constexpr NSUInteger MTLDataTypeULong = 85;

// Limits of Metal's feature table, the same in all families with Metal 3.
constexpr uint32_t kMostBuffers = 31;             // places for buffers and scalars of a kernel
constexpr NSUInteger kMostBytes = 4096;           // of setBytes:length:atIndex:
constexpr NSUInteger kThreadgroupAlignment = 16;  // of threadgroup memory, in bytes
// Command buffers of a queue that have not ended: Metal's own limit of 64 would let a submission
// wait for work before it, which may itself wait for the caller.
constexpr NSUInteger kMostCommandBuffers = 4096;
constexpr NSUInteger kMostThreads = 1024;  // of a threadgroup, in each dimension

}  // namespace nexus_metal

#endif  // NEXUS_METAL_METAL_TYPES_HPP_
