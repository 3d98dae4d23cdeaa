// SPDX-License-Identifier: Apache-2.0
// Copies and fills of memory.
#ifndef NEXUS_CPU_TRANSFER_HPP_
#define NEXUS_CPU_TRANSFER_HPP_

#include "execution/buffer.hpp"
#include "execution/work.hpp"

#include <array>
#include <cstddef>
#include <nexus-plugin/memory/transfer.hpp>

namespace nexus_cpu NXS_HIDDEN {

// A copy, or a fill with a pattern. Keeps its buffers alive; the caller must keep its own memory.
class Transfer final : public Work {
 public:
  struct Range {
    nexus_plugin::Ref<Buffer> buffer;  // empty for memory of the caller
    std::byte *data = nullptr;
  };

  Transfer(Range to, Range from, uint64_t size)
      : Work((size + kUnit - 1) / kUnit, kUnitsAtOnce, false),
        to_(std::move(to)),
        from_(std::move(from)),
        size_(size) {}
  Transfer(Range to, uint64_t size, const nexus_plugin::FillPattern &pattern);

  void run(uint64_t begin, uint64_t end, unsigned worker) noexcept override;
  uint64_t expected_ns() const noexcept override {
    return size_ <= kShortBytes ? size_ / kBytesPerNanosecond : UINT64_MAX;
  }

 private:
  static constexpr uint64_t kUnit = 4096;  // bytes; a multiple of every pattern's size
  static constexpr uint64_t kUnitsAtOnce = 256;
  static constexpr uint64_t kShortBytes = 64 * 1024;
  static constexpr uint64_t kBytesPerNanosecond = 8;

  void fill_bytes(std::byte *data, std::size_t size) const noexcept;

  Range to_;
  Range from_;  // empty for a fill
  uint64_t size_;
  std::array<std::byte, 16> pattern_{};  // repeated to its full length
  bool one_byte_ = false;                // all bytes of the pattern are equal
};

// A recorded transfer between buffers, with its settings.
struct RecordedTransfer : nexus_plugin::BufferTransfer<Buffer> {
  explicit RecordedTransfer(BufferTransfer checked);

  template <class Stream>
  nxs_ticket submit_to(Stream &stream) && {
    return stream.transfer(std::move(work));
  }

  Transfer work;
};

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_TRANSFER_HPP_
