// SPDX-License-Identifier: Apache-2.0
// Copies from buffer to buffer, and fills. Beside the members in stream.hpp, G has
//
//   struct Recording;  // as recording.hpp describes it
//   // Returns the widest element of fills in rows, in bytes: 1, 2 or 4.
//   static unsigned widest_in_rows() noexcept;
//   // Fills with elements of 1, 2 or 4 bytes.
//   static Result fill(Address to, unsigned value, unsigned element, uint64_t count,
//                      NativeStream stream) noexcept;
//   // Fills the first element of each row. pitch: bytes from row to row.
//   static Result fill_rows(Address to, uint64_t pitch, unsigned value, unsigned element,
//                           uint64_t rows, NativeStream stream) noexcept;
#ifndef NEXUS_PLUGIN_GPU_TRANSFER_HPP_
#define NEXUS_PLUGIN_GPU_TRANSFER_HPP_

#include <nexus-plugin/gpu/device_step.hpp>
#include <nexus-plugin/gpu/stream.hpp>
#include <nexus-plugin/memory/transfer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

namespace detail {

// The bytes that fills in rows write, which are slow. Copies then double the filled part.
inline constexpr uint64_t kInRows = 64 * 1024;

// Returns the size of the shortest pattern that gives the same bytes when repeated.
inline uint64_t period_of(const std::byte *pattern, uint64_t size) {
  while (size > 1 && std::memcmp(pattern, pattern + size / 2, size / 2) == 0) size /= 2;
  return size;
}

// Returns the size of the widest element that the driver can fill with: no larger than the period
// and widest, and aligned at the address.
inline unsigned element_of(uint64_t address, uint64_t period, unsigned widest) {
  for (const unsigned size : {4U, 2U}) {
    if (size <= widest && size <= period && address % size == 0) return size;
  }
  return 1;
}

inline unsigned read_element(const std::byte *bytes, unsigned size) {
  unsigned value = 0;
  std::memcpy(&value, bytes, size);  // the driver and we are little-endian
  return value;
}

// Returns the steps that fill size bytes, a multiple of the pattern's. widest_in_rows: the widest
// element of fills in rows.
inline DeviceSteps fill_steps(uint64_t address, uint64_t size, const FillPattern &given,
                              unsigned widest_in_rows) {
  const std::byte *const pattern = given.data();
  const uint64_t period = period_of(pattern, given.size());
  if (const unsigned element = element_of(address, period, 4); element == period) {
    return {FillStep{address, 0, read_element(pattern, element), element, size / element, 1}};
  }
  DeviceSteps steps;
  const unsigned element = element_of(address, period, widest_in_rows);
  const uint64_t in_rows = std::min(size, kInRows);
  for (uint64_t at = 0; at < period; at += element) {
    steps.push_back(FillStep{address + at, period, read_element(pattern + at, element), element, 1,
                             in_rows / period});
  }
  for (uint64_t filled = in_rows; filled < size;) {
    const uint64_t more = std::min(filled, size - filled);
    steps.push_back(CopyStep{address + filled, address, more});
    filled += more;
  }
  return steps;
}

}  // namespace detail

// A copy from buffer to buffer, or a fill. Immutable.
template <class G>
class Transfer : public BufferTransfer<typename G::Recording::Buffer> {
  using Base = BufferTransfer<typename G::Recording::Buffer>;

 public:
  using Base::empty, Base::is_copy, Base::from, Base::pattern, Base::to;

  explicit Transfer(Base checked) : Base(std::move(checked)) {
    if (empty()) return;
    if (is_copy()) {
      steps_ = {CopyStep{address_of(to()), address_of(from()), from().size}};
    } else {
      steps_ = detail::fill_steps(address_of(to()), to().size, pattern(), G::widest_in_rows());
    }
  }

  // Returns no steps for 0 bytes.
  const DeviceSteps &steps() const noexcept { return steps_; }

  nxs_ticket submit_to(Stream<G> &stream) const {
    return stream.submit([&](Enqueuing<G> &work) {
      used_in(stream.pooled());
      enqueue(work);
    });
  }
  // Notes in the buffers that work of the stream uses them.
  void used_in(const Pooled<G> &pooled) const noexcept {
    to().buffer->used_in(pooled);
    if (is_copy()) from().buffer->used_in(pooled);
  }
  void enqueue(Enqueuing<G> &work) const {
    for (const DeviceStep &step : steps_) {
      work.check(std::visit([&](const auto &each) { return call(each, work.stream); }, step),
                 is_copy() ? "copying a buffer to a buffer" : "filling a buffer");
    }
  }

 private:
  static Result call(const CopyStep &copy, typename G::NativeStream stream) noexcept {
    return G::copy(copy.to, copy.from, copy.size, stream);
  }
  static Result call(const FillStep &fill, typename G::NativeStream stream) noexcept {
    return fill.rows == 1
               ? G::fill(fill.to, fill.value, fill.element, fill.width, stream)
               : G::fill_rows(fill.to, fill.pitch, fill.value, fill.element, fill.rows, stream);
  }
  static uint64_t address_of(const BufferRange<typename G::Recording::Buffer> &range) {
    return range.buffer->address() + range.offset;
  }

  DeviceSteps steps_;
};

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_TRANSFER_HPP_
