// SPDX-License-Identifier: Apache-2.0
// Results of cuDeviceGetAttribute, by number: "CUDA Driver API", CUdevice_attribute.
#include "driver.hpp"

#include <cstdio>

namespace simulator {

std::map<int, int> attributes_of(int number, int architecture) {
  constexpr int kLastAttribute = 147;
  const bool hopper = architecture >= 90;
  std::map<int, int> values = {
      {kMaxThreadsPerBlock, 1024},
      {kMaxBlockX, 1024},
      {kMaxBlockY, 1024},
      {kMaxBlockZ, 64},
      {kMaxGridX, 2147483647},
      {kMaxGridY, 65535},
      {kMaxGridZ, 65535},
      {kMaxSharedPerBlock, 49152},
      {9, 65536},  // constant memory, bytes
      {kWarpSize, 32},
      {11, 2147483647},  // pitch
      {12, 65536},       // registers of a block
      {13, 1980000},     // clock, kHz
      {14, 512},         // alignment of textures
      {15, 1},           // copies beside kernels
      {kMultiprocessors, hopper ? 132 : 68},
      {19, 1},  // maps host memory
      {31, 1},  // concurrent kernels
      {32, 1},  // ECC
      {kPciBus, 0x1b + number},
      {36, 3201000},   // memory clock, kHz
      {37, 6144},      // bus width, bits
      {38, 62914560},  // L2, bytes
      {kMaxThreadsPerMultiprocessor, hopper ? 2048 : 1024},
      {40, 3},  // copy engines
      {41, 1},  // unified addresses
      {75, architecture / 10},
      {76, architecture % 10},
      {78, 1},  // stream priorities
      {kMaxSharedPerMultiprocessor, hopper ? 233472 : 65536},
      {82, 65536},  // registers of a multiprocessor
      {kManagedMemory, 1},
      {85, number},  // group of the board
      {89, 1},       // managed memory for host and device at once
      {kCooperativeLaunch, 1},
      {kMaxSharedPerBlockOptIn, hopper ? 232448 : 65536},
      {99, 1},  // registers host memory
      {kMaxBlocksPerMultiprocessor, hopper ? 32 : 16},
      {111, hopper ? 1024 : 0},  // reserved of a block's shared memory
      {kMemoryPools, 1},
      {kClusterLaunch, hopper ? 1 : 0},
      {125, 1},   // events between processes
      {134, -1},  // NUMA node
  };
  for (int each = 1; each <= kLastAttribute; ++each) values.try_emplace(each, 0);
  return values;
}

std::array<unsigned char, 16> uuid_of(int number) {
  std::array<unsigned char, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(0x10 * number + static_cast<int>(i));
  }
  bytes[6] = 0x40;  // so that it is a valid one, made at random
  bytes[8] = 0x80;
  return bytes;
}

std::string uuid_text(int number) {
  std::string text;
  for (const unsigned char byte : uuid_of(number)) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  for (const size_t at : {8u, 13u, 18u, 23u}) text.insert(at, "-");
  return text;
}

}  // namespace simulator
