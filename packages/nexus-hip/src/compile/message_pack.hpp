// SPDX-License-Identifier: Apache-2.0
// Reads MessagePack, the form of the metadata in code objects, one value after the other.
#ifndef NEXUS_HIP_MESSAGE_PACK_HPP_
#define NEXUS_HIP_MESSAGE_PACK_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

// Thrown for bytes that are cut short or no MessagePack, or where another kind of value stands.
struct BadMessage {};

// Each function reads the next value, and nothing behind the end of the bytes. What a count
// promises is not believed: the values behind it are read one by one.
class MessagePack {
 public:
  explicit MessagePack(std::string_view bytes) : rest_(bytes) {}

  // Calls take(key) for each key of a map; take() reads or skips the value.
  template <class Take>
  void each_pair(Take &&take) {
    for (uint64_t left = count_of(Kind::map); left != 0; --left) take(text());
  }
  // Calls take() for each value of a list; take() reads or skips it.
  template <class Take>
  void each(Take &&take) {
    for (uint64_t left = count_of(Kind::list); left != 0; --left) take();
  }
  std::string_view text() { return take(count_of(Kind::text)); }
  uint64_t number() { return count_of(Kind::number); }

  void skip() {
    for (uint64_t left = 1; left != 0; --left) {
      const Head head = read_head();
      if (head.kind == Kind::map) left += 2 * head.value;
      if (head.kind == Kind::list) left += head.value;
      if (head.kind == Kind::text || head.kind == Kind::bytes) (void)take(head.value);
    }
  }

 private:
  enum class Kind { number, text, bytes, list, map, other };
  // value: the number, how many bytes follow, or how many values or pairs do.
  struct Head {
    Kind kind;
    uint64_t value;
  };

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw BadMessage{};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  uint64_t unsigned_of(unsigned size) {
    uint64_t value = 0;
    for (const char each : take(size)) value = value << 8U | static_cast<unsigned char>(each);
    return value;
  }

  uint64_t count_of(Kind kind) {
    const Head head = read_head();
    if (head.kind != kind) throw BadMessage{};
    return head.value;
  }

  Head read_head() {
    const auto byte = static_cast<unsigned>(unsigned_of(1));
    if (byte < 0x80) return {Kind::number, byte};
    if (byte < 0x90) return {Kind::map, byte & 15U};
    if (byte < 0xa0) return {Kind::list, byte & 15U};
    if (byte < 0xc0) return {Kind::text, byte & 31U};
    if (byte >= 0xe0) return {Kind::other, 0};                          // a small negative number
    const auto size = [](unsigned code) { return 1U << (code & 3U); };  // 1, 2, 4 or 8 bytes
    switch (byte) {
      case 0xc0:  // nil
      case 0xc2:  // false
      case 0xc3:  // true
        return {Kind::other, 0};
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return {Kind::bytes, unsigned_of(size(byte))};
      case 0xc7:
      case 0xc8:
      case 0xc9:  // an extension: its type has one byte
        return {Kind::bytes, unsigned_of(size(byte - 0xc7)) + 1};
      case 0xca:
      case 0xcb:  // a floating-point number
        return {Kind::bytes, byte == 0xca ? 4U : 8U};
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return {Kind::number, unsigned_of(size(byte))};
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:  // a number with a sign
        return {Kind::bytes, size(byte)};
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:  // an extension of 1, 2, 4, 8 or 16 bytes, and its type
        return {Kind::bytes, (1U << (byte - 0xd4)) + 1};
      case 0xd9:
      case 0xda:
      case 0xdb:
        return {Kind::text, unsigned_of(size(byte - 0xd9))};
      case 0xdc:
      case 0xdd:
        return {Kind::list, unsigned_of(byte == 0xdc ? 2 : 4)};
      case 0xde:
      case 0xdf:
        return {Kind::map, unsigned_of(byte == 0xde ? 2 : 4)};
      default:
        throw BadMessage{};
    }
  }

  std::string_view rest_;
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_MESSAGE_PACK_HPP_
