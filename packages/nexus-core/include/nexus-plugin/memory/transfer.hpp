// SPDX-License-Identifier: Apache-2.0
// Copies from buffer to buffer and fills, for nxsTransferBuffer, nxsFillBuffer and the commands of
// schedules.
#ifndef NEXUS_PLUGIN_TRANSFER_HPP_
#define NEXUS_PLUGIN_TRANSFER_HPP_

#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/memory/range.hpp>

#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// Throws NXS_InvalidDevice if an object is of another device than the one it is used with. A
// backend may define its own, with more facts in the text. what: such as "buffer".
template <class Device>
  requires requires(const Device &device) { device.name(); }
void check_same_device(const char *what, const Device &of, const Device &used_with) {
  if (&of == &used_with) return;
  const auto in_words = [](const Device &device) {
    if constexpr (requires { device.ordinal(); }) {
      return join(device.ordinal(), " ('", device.name(), "')");
    } else {
      return join("'", device.name(), "'");
    }
  };
  throw Error(NXS_InvalidDevice, "the ", what, " is of the device ", in_words(of),
              " and is used with the device ", in_words(used_with), "; use objects of one device");
}

namespace detail {

// Calls check_same_device() if objects have device(). A backend with one device needs neither.
template <class Object, class Other>
void require_same_device(const char *what, const Object &object, const Other &used_with) {
  if constexpr (requires { check_same_device(what, object.device(), used_with.device()); }) {
    check_same_device(what, object.device(), used_with.device());
  }
}

}  // namespace detail

// A checked copy or fill. Keeps its buffers alive. Immutable.
template <class Buffer>
class BufferTransfer {
 public:
  // used_with: the stream or schedule; its device must be the buffers' device. Both throw
  // NXS_InvalidBuffer, NXS_InvalidDevice and NXS_InvalidValue; copy() also NXS_MemCopyOverlap.
  template <class Table, class Other>
  static BufferTransfer copy(const Table &buffers, const Other &used_with,
                             const nxs_buffer_range *destination, const nxs_buffer_range *source) {
    BufferTransfer made(pin(buffers, used_with, destination, "destination"));
    made.from_ = pin(buffers, used_with, source, "source");
    check_copy(made.to_, made.from_);
    if constexpr (requires(const Buffer &buffer) { buffer.address(); }) {
      // Two buffers may use the same memory.
      check_copy(true, made.to_.buffer->address() + made.to_.offset, made.to_.size,
                 made.from_.buffer->address() + made.from_.offset, made.from_.size);
    }
    return made;
  }
  template <class Table, class Other>
  static BufferTransfer fill(const Table &buffers, const Other &used_with,
                             const nxs_buffer_range *range, const void *pattern,
                             uint64_t pattern_size) {
    BufferTransfer made(pin(buffers, used_with, range, "range"));
    made.pattern_ = FillPattern(pattern, pattern_size, made.to_);
    return made;
  }

  bool is_copy() const noexcept { return static_cast<bool>(from_.buffer); }
  // Returns whether there are no bytes to move.
  bool empty() const noexcept { return to_.size == 0; }
  const BufferRange<Buffer> &to() const noexcept { return to_; }
  const BufferRange<Buffer> &from() const noexcept { return from_; }  // of a copy
  const FillPattern &pattern() const noexcept { return pattern_; }    // of a fill

 private:
  explicit BufferTransfer(BufferRange<Buffer> to) : to_(std::move(to)) {}

  template <class Table, class Other>
  static BufferRange<Buffer> pin(const Table &buffers, const Other &used_with,
                                 const nxs_buffer_range *range, const char *parameter) {
    auto made = pin_range(buffers, range, parameter);
    detail::require_same_device("buffer", *made.buffer, used_with);
    return made;
  }

  BufferRange<Buffer> to_, from_;
  FillPattern pattern_;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_TRANSFER_HPP_
