// SPDX-License-Identifier: Apache-2.0
#include "execution/work.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

Transfer::Transfer(Range to, uint64_t size, const nexus_plugin::FillPattern &pattern)
    : Transfer(std::move(to), {}, size) {
  pattern.repeat(pattern_.data(), pattern_.size());
  one_byte_ = std::ranges::all_of(pattern_, [&](std::byte b) { return b == pattern_[0]; });
}

void Transfer::run(uint64_t begin, uint64_t end, unsigned) noexcept {
  const uint64_t first = begin * kUnit;
  const auto count = static_cast<std::size_t>(std::min(end * kUnit, size_) - first);
  if (from_.data == nullptr) {
    fill_bytes(to_.data + first, count);
  } else {
    // Memory may overlap, since a host pointer may point into the buffer.
    std::memmove(to_.data + first, from_.data + first, count);
  }
}

void Transfer::fill_bytes(std::byte *data, std::size_t size) const noexcept {
  if (one_byte_) {
    std::memset(data, std::to_integer<int>(pattern_[0]), size);
    return;
  }
  std::size_t at = 0;
  for (; at + pattern_.size() <= size; at += pattern_.size()) {
    std::memcpy(data + at, pattern_.data(), pattern_.size());
  }
  std::memcpy(data + at, pattern_.data(), size - at);
}

namespace {

Transfer::Range range_of(const nexus_plugin::BufferRange<Buffer> &range) {
  return {range.buffer, range.buffer->data() + range.offset};
}

}  // namespace

RecordedTransfer::RecordedTransfer(BufferTransfer checked)
    : BufferTransfer(std::move(checked)),
      work(is_copy() ? Transfer(range_of(to()), range_of(from()), to().size)
                     : Transfer(range_of(to()), to().size, pattern())) {}

}  // namespace nexus_cpu
