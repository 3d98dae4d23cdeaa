// SPDX-License-Identifier: Apache-2.0
//
// What a device answers to cuDeviceGetAttribute, by number: "CUDA Driver API", CUdevice_attribute.
// The values are about those of a large GPU, so that limits are where a real one has them.
#ifndef NEXUS_SIMULATED_CUDA_DEVICE_ATTRIBUTES_HPP_
#define NEXUS_SIMULATED_CUDA_DEVICE_ATTRIBUTES_HPP_

#include <array>
#include <map>
#include <string>

namespace simulated_cuda {

// Those that the simulation itself looks at.
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxBlockX = 2,
  kMaxBlockY = 3,
  kMaxBlockZ = 4,
  kMaxGridX = 5,
  kMaxGridY = 6,
  kMaxGridZ = 7,
  kMaxSharedPerBlock = 8,
  kMultiprocessors = 16,
  kMaxThreadsPerMultiprocessor = 39,
  kPciBus = 33,
  kPciDevice = 34,
  kPciDomain = 50,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kMaxSharedPerMultiprocessor = 81,
  kManagedMemory = 83,
  kCooperativeLaunch = 95,
  kMaxSharedPerBlockOptIn = 97,
  kMaxBlocksPerMultiprocessor = 106,
  kMemoryPools = 115,
  kClusterLaunch = 120,
};

constexpr int kLastAttribute = 147;

// architecture: compute capability, major * 10 + minor.
std::map<int, int> attributes_of(int ordinal, int architecture);

std::array<unsigned char, 16> uuid_of(int ordinal);
// As "00010203-0405-4007-8009-0a0b0c0d0e0f".
std::string uuid_text(int ordinal);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_DEVICE_ATTRIBUTES_HPP_
