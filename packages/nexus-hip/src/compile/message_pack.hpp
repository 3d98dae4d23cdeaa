// SPDX-License-Identifier: Apache-2.0
// Reads MessagePack, the form of the metadata in code objects, one value after the other.
#ifndef NEXUS_HIP_MESSAGE_PACK_HPP_
#define NEXUS_HIP_MESSAGE_PACK_HPP_

#include <nexus-api/nxs.h>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace nexus_hip NXS_HIDDEN {

// Thrown for bytes that are truncated or not MessagePack, or for a value of another kind.
struct BadMessage {};

// Each function reads the next value, and never beyond the end of the bytes. Counts are not
// trusted: the values after a count are read one by one.
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
  enum class Kind { number, text, bytes, list, map, other, wrong };
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
    if (byte >= 0xe0) return {Kind::other, 0};  // a small negative number
    // By the last 5 bits: the kind, the number of bytes of the value, and what is added to it.
    // Numbers with a sign, floating-point ones and extensions are only skipped.
    using enum Kind;
    constexpr struct {
      Kind kind;
      unsigned char told, added;
    } kForms[] = {{other, 0, 0},  {wrong, 0, 0}, {other, 0, 0},  {other, 0, 0},  {bytes, 1, 0},
                  {bytes, 2, 0},  {bytes, 4, 0}, {bytes, 1, 1},  {bytes, 2, 1},  {bytes, 4, 1},
                  {bytes, 0, 4},  {bytes, 0, 8}, {number, 1, 0}, {number, 2, 0}, {number, 4, 0},
                  {number, 8, 0}, {bytes, 0, 1}, {bytes, 0, 2},  {bytes, 0, 4},  {bytes, 0, 8},
                  {bytes, 0, 2},  {bytes, 0, 3}, {bytes, 0, 5},  {bytes, 0, 9},  {bytes, 0, 17},
                  {text, 1, 0},   {text, 2, 0},  {text, 4, 0},   {list, 2, 0},   {list, 4, 0},
                  {map, 2, 0},    {map, 4, 0}};
    static_assert(std::size(kForms) == 32);
    const auto &form = kForms[byte & 31U];
    if (form.kind == wrong) throw BadMessage{};
    return {form.kind, unsigned_of(form.told) + form.added};
  }

  std::string_view rest_;
};

}  // namespace nexus_hip

#endif  // NEXUS_HIP_MESSAGE_PACK_HPP_
