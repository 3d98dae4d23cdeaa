// SPDX-License-Identifier: Apache-2.0
#include "code/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nexus::core {
namespace {

constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian32(const uint8_t *bytes) {
  return (uint32_t{bytes[0]} << 24) | (uint32_t{bytes[1]} << 16) | (uint32_t{bytes[2]} << 8) |
         uint32_t{bytes[3]};
}

}  // namespace

void Sha256::compress(const uint8_t *block) {
  uint32_t w[64];
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = bigEndian32(block + 4 * t);
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const uint32_t near = w[t - 2];
    const uint32_t far = w[t - 15];
    w[t] = (std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10)) + w[t - 7] +
           (std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3)) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) {
    state_[i] += sums[i];
  }
}

void Sha256::add(std::string_view bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  std::size_t left = bytes.size();
  total_ += left;
  if (filled_ != 0) {
    const std::size_t taken = std::min(left, block_.size() - filled_);
    std::memcpy(block_.data() + filled_, data, taken);
    filled_ += taken;
    data += taken;
    left -= taken;
    if (filled_ < block_.size()) return;
    compress(block_.data());
    filled_ = 0;
  }
  for (; left >= block_.size(); left -= block_.size(), data += block_.size()) {
    compress(data);
  }
  if (left != 0) {
    std::memcpy(block_.data(), data, left);
    filled_ = left;
  }
}

std::string Sha256::finish() {
  const uint64_t bits = total_ * 8;
  constexpr std::size_t kLengthAt = 56;  // the last 8 bytes of a block are the length
  block_[filled_++] = 0x80;
  if (filled_ > kLengthAt) {
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), uint8_t{0});
    compress(block_.data());
    filled_ = 0;
  }
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), uint8_t{0});
  for (std::size_t i = 0; i < 8; ++i) {
    block_[kLengthAt + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  }
  compress(block_.data());
  std::string digest;
  for (std::size_t i = 0; i < 32; ++i) {
    digest += static_cast<char>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

}  // namespace nexus::core
