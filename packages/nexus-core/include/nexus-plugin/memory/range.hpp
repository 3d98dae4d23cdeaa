// SPDX-License-Identifier: Apache-2.0
// Ranges of buffers, for copies, fills and mappings.
#ifndef NEXUS_PLUGIN_RANGE_HPP_
#define NEXUS_PLUGIN_RANGE_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/slot.hpp>

#include <cstring>

namespace nexus_plugin NXS_HIDDEN {

// A range of a buffer, which it keeps alive. Buffer is the backend's class, which has size().
template <class Buffer>
struct BufferRange {
  Ref<Buffer> buffer;
  uint64_t offset = 0;  // bytes
  uint64_t size = 0;    // bytes
};

// Pins the buffer of a range. Throws NXS_InvalidBuffer, and NXS_InvalidValue if the range is not
// within the buffer.
template <class Table>
BufferRange<typename Table::Object> pin_range(const Table &buffers, const nxs_buffer_range *given,
                                              const char *parameter) {
  const nxs_buffer_range &range = check_struct(given, parameter);
  BufferRange<typename Table::Object> made{buffers.pin(range.buffer), range.offset, range.size};
  check_range(parameter, made.offset, made.size, made.buffer->size());
  return made;
}

// Checks the two ranges of a copy. Throws NXS_InvalidValue if their sizes differ, and
// NXS_MemCopyOverlap if they overlap.
template <class Buffer>
void check_copy(const BufferRange<Buffer> &destination, const BufferRange<Buffer> &source) {
  check_copy(destination.buffer == source.buffer, destination.offset, destination.size,
             source.offset, source.size);
}

// The pattern of a fill, copied from the host.
class FillPattern {
 public:
  FillPattern() noexcept = default;  // for no fill
  // Throws NXS_InvalidValue unless the pattern's size is 1, 2, 4, 8 or 16, and offset and size of
  // the range are multiples of it.
  template <class Buffer>
  FillPattern(const void *pattern, uint64_t pattern_size, const BufferRange<Buffer> &range)
      : size_(pattern_size) {
    check_fill(range.offset, range.size, pattern, pattern_size);
    std::memcpy(bytes_, pattern, pattern_size);
  }

  const std::byte *data() const noexcept { return bytes_; }
  uint64_t size() const noexcept { return size_; }

  // Fills host memory; size is a multiple of the pattern's. Each copy doubles the filled part, so
  // that large copies fill most of it.
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
