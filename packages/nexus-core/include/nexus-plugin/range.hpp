// SPDX-License-Identifier: Apache-2.0
// Parts of buffers, as the host names them for copies, fills and mappings.
#ifndef NEXUS_PLUGIN_RANGE_HPP_
#define NEXUS_PLUGIN_RANGE_HPP_

#include <nexus-plugin/checks.hpp>
#include <nexus-plugin/slot.hpp>

#include <cstring>

namespace nexus_plugin NXS_HIDDEN {

// Part of a buffer, which it keeps alive. Buffer is the backend's class, which has size().
template <class Buffer>
struct BufferRange {
  Ref<Buffer> buffer;
  uint64_t offset = 0;  // bytes
  uint64_t size = 0;    // bytes
};

// The part that the host names, which lies within its buffer.
// Throws NXS_InvalidBuffer and NXS_InvalidValue.
template <class Table>
BufferRange<typename Table::Object> pin_range(const Table &buffers, const nxs_buffer_range *given,
                                              const char *parameter) {
  const nxs_buffer_range &range = check_struct(given, parameter);
  BufferRange<typename Table::Object> made{buffers.pin(range.buffer), range.offset, range.size};
  check_range(parameter, made.offset, made.size, made.buffer->size());
  return made;
}

// The two ends of a copy: equal sizes, and no byte in both.
// Throws NXS_InvalidValue and NXS_MemCopyOverlap.
template <class Buffer>
void check_copy(const BufferRange<Buffer> &destination, const BufferRange<Buffer> &source) {
  check_copy(destination.buffer == source.buffer, destination.offset, destination.size,
             source.offset, source.size);
}

// The pattern of a fill, copied from the host.
class FillPattern {
 public:
  FillPattern() noexcept = default;  // of no fill
  // Throws NXS_InvalidValue where the size is none of 1, 2, 4, 8 and 16, or where
  // offset or size of the range is no multiple of it.
  template <class Buffer>
  FillPattern(const void *pattern, uint64_t pattern_size, const BufferRange<Buffer> &range)
      : size_(pattern_size) {
    check_fill(range.offset, range.size, pattern, pattern_size);
    std::memcpy(bytes_, pattern, pattern_size);
  }

  const std::byte *data() const noexcept { return bytes_; }
  uint64_t size() const noexcept { return size_; }

  // Fills host memory; size is a multiple of the pattern's. Doubles what is filled,
  // so that nearly all of it is done by large copies.
  void repeat(std::byte *memory, uint64_t size) const noexcept {
    if (size == 0) return;
    std::memcpy(memory, bytes_, size_);
    for (uint64_t filled = size_; filled < size;) {
      const uint64_t more = filled < size - filled ? filled : size - filled;
      std::memcpy(memory + filled, memory, more);
      filled += more;
    }
  }

 private:
  uint64_t size_ = 0;
  std::byte bytes_[16] = {};
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_RANGE_HPP_
