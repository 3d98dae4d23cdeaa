// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), for the keys and checksums of object code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nexus::core {

/// Takes bytes in parts of any size.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// Returns the 32 bytes of the digest of all added bytes. Call once, last.
  std::string finish();

 private:
  void compress(const uint8_t *block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_{};
  std::size_t filled_ = 0;  // bytes of block_
  uint64_t total_ = 0;      // bytes added
};

std::string sha256(std::string_view bytes);

}  // namespace nexus::core
