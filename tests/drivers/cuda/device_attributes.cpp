// SPDX-License-Identifier: Apache-2.0
#include "device_attributes.hpp"

#include <cstdio>

namespace simulated_cuda {

std::map<int, int> attributes_of(int ordinal, int architecture) {
  const bool hopper = architecture >= 90;
  std::map<int, int> values;
  for (int number = 1; number <= kLastAttribute; ++number) values[number] = 0;
  const std::map<int, int> known = {
      {kMaxThreadsPerBlock, 1024},
      {kMaxBlockX, 1024},
      {kMaxBlockY, 1024},
      {kMaxBlockZ, 64},
      {kMaxGridX, 2147483647},
      {kMaxGridY, 65535},
      {kMaxGridZ, 65535},
      {kMaxSharedPerBlock, 49152},
      {9, 65536},        // constant memory, bytes
      {10, 32},          // warp
      {11, 2147483647},  // pitch
      {12, 65536},       // registers of a block
      {13, 1980000},     // clock, kHz
      {14, 512},         // alignment of textures
      {15, 1},           // copies beside kernels
      {kMultiprocessors, hopper ? 132 : 68},
      {19, 1},  // maps host memory
      {21, 131072},
      {22, 131072},
      {23, 65536},
      {24, 16384},
      {25, 16384},
      {26, 16384},
      {30, 512},
      {31, 1},  // concurrent kernels
      {32, 1},  // ECC
      {kPciBus, 0x1b + ordinal},
      {kPciDevice, 0},
      {36, 3201000},   // memory clock, kHz
      {37, 6144},      // bus width, bits
      {38, 62914560},  // L2, bytes
      {kMaxThreadsPerMultiprocessor, hopper ? 2048 : 1024},
      {40, 3},  // copy engines
      {41, 1},  // unified addresses
      {kPciDomain, 0},
      {51, 32},
      {kComputeMajor, architecture / 10},
      {kComputeMinor, architecture % 10},
      {78, 1},  // stream priorities
      {79, 1},
      {80, 1},
      {kMaxSharedPerMultiprocessor, hopper ? 233472 : 65536},
      {82, 65536},
      {kManagedMemory, 1},
      {85, ordinal},
      {86, 0},
      {87, 2},
      {88, 0},  // pageable memory is not accessible
      {89, 1},
      {90, 1},
      {91, 1},
      {kCooperativeLaunch, 1},
      {96, 1},
      {kMaxSharedPerBlockOptIn, hopper ? 232448 : 65536},
      {99, 1},
      {102, 1},
      {103, 1},  // POSIX file descriptors
      {kMaxBlocksPerMultiprocessor, hopper ? 32 : 16},
      {108, 39321600},
      {109, 134213632},
      {111, hopper ? 1024 : 0},
      {113, 1},
      {114, 1},
      {kMemoryPools, 1},
      {116, 1},
      {117, 1},
      {118, 100},
      {119, 1},  // pools: POSIX file descriptors
      {kClusterLaunch, hopper ? 1 : 0},
      {122, 1},
      {123, 1},
      {125, 1},  // events between processes
      {126, hopper ? 4 : 1},
      {127, hopper ? 1 : 0},
      {129, 1},
      {131, -1},
      {134, -1},
  };
  for (const auto &[number, value] : known) values[number] = value;
  return values;
}

std::array<unsigned char, 16> uuid_of(int ordinal) {
  std::array<unsigned char, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(0x10 * ordinal + static_cast<int>(i));
  }
  bytes[6] = 0x40;  // so that it is a valid one, made at random
  bytes[8] = 0x80;
  return bytes;
}

std::string uuid_text(int ordinal) {
  std::string text;
  for (const unsigned char byte : uuid_of(ordinal)) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  for (const size_t at : {8u, 13u, 18u, 23u}) text.insert(at, "-");
  return text;
}

}  // namespace simulated_cuda
