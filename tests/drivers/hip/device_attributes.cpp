// SPDX-License-Identifier: Apache-2.0
// Results of hipDeviceGetAttribute, by number: "HIP Runtime API Reference", hipDeviceAttribute_t.
#include "driver.hpp"

#include <cstdio>
#include <cstring>

namespace simulator {

std::map<int, int> attributes_of(int number, int architecture) {
  constexpr int kFirstOfGfx10 = 1000;
  const bool large = architecture < kFirstOfGfx10;
  return {
      {kClusterLaunch, 0},
      {0, large ? 1 : 0},  // ECC
      {2, 2},              // copies beside kernels
      {3, 1},              // maps host memory
      {4, 1},              // registered memory has one address
      {5, 2100000},        // clock, kHz
      {6, 0},              // compute mode
      {8, 1},              // concurrent kernels
      {9, 1},              // managed memory for host and device at once
      {kCooperativeLaunch, 1},
      {13, 0},  // the host reaches managed memory on the device
      {15, 0},  // atomics of the host
      {16, 0},  // integrated
      {17, 0},  // board of several
      {18, 0},  // limit of time
      {19, 4194304},
      {kManagedMemory, 1},
      {kMaxBlocksPerMultiprocessor, large ? 32 : 64},
      {kMaxBlockX, 1024},
      {kMaxBlockY, 1024},
      {kMaxBlockZ, 1024},
      {kMaxGridX, 2147483647},
      {kMaxGridY, 65536},
      {kMaxGridZ, 65536},
      {39, 16384},  // textures, as those below
      {43, 16384},
      {44, 16384},
      {49, 16384},
      {50, 16384},
      {51, 8192},
      {kMaxThreadsPerBlock, 1024},
      {kMaxThreadsPerMultiprocessor, 2048},
      {58, 2147483647},  // pitch
      {59, 8192},        // bus width, bits
      {60, 1300000},     // memory clock, kHz
      {kMultiprocessors, large ? 304 : 48},
      {65, 0},  // pageable memory
      {66, 0},  // by the host's page tables
      {kPciBus, 0x1b + number},
      {68, 0},      // PCI device
      {69, 0},      // PCI domain
      {71, 65536},  // registers of a block
      {72, 65536},  // registers of a multiprocessor
      {kMaxSharedPerBlock, 65536},
      {kMaxSharedPerBlockOptIn, 65536},
      {78, 1},           // stream priorities
      {81, 256},         // alignment of textures
      {82, 256},         // alignment of their pitch
      {83, 2147483647},  // constant memory
      {85, 1},           // unified addresses
      {kWarpSize, large ? 64 : 32},
      {kMemoryPools, 1},
      {89, 1},          // virtual memory
      {90, 1},          // registers host memory
      {91, 1},          // handles of pools
      {92, number},     // NUMA node
      {93, 1},          // DMA buffers
      {10000, 100000},  // clock of instructions, kHz
      {kMaxSharedPerMultiprocessor, 65536},
      {10011, 1},  // large BAR
      {10012, 1},  // revision
      {10013, 1},  // streams wait for values
      {10014, large ? 0 : 1},
      {10015, large ? 304 : 96},  // compute units
      {10016, 1},                 // fine-grained memory
      {10017, 100000},            // wall clock, kHz
      {10018, large ? 8 : 1},     // XCDs
      {10019, large ? 512 : 256},
      {10020, 0x74a1},  // the chip
  };
}

std::array<unsigned char, 16> uuid_of(int number) {
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), uuid_text(number).data(), bytes.size());
  return bytes;
}

std::string uuid_text(int number) {
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016x", 0xd0c5a000u + static_cast<unsigned>(number));
  return digits;
}

}  // namespace simulator
