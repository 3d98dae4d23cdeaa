// SPDX-License-Identifier: Apache-2.0
// Work of streams; copies and fills of memory.
#ifndef NEXUS_CPU_WORK_HPP_
#define NEXUS_CPU_WORK_HPP_

#include "execution/buffer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <nexus-plugin/memory/transfer.hpp>

namespace nexus_cpu NXS_HIDDEN {

// Shorter work, in nanoseconds, is done before another thread has woken.
inline constexpr uint64_t kShortNanoseconds = 20'000;

// Work that takes time: a kernel launch, a copy, a fill, a callback. It consists of units, which
// threads take in parts. Only one run at a time.
class Work {
 public:
  virtual ~Work() = default;

  // Runs the units in [begin, end); other threads may run others. worker is at most
  // Pool::configured_size(), which stands for a caller outside the pool.
  virtual void run(uint64_t begin, uint64_t end, unsigned worker) noexcept = 0;

  // Called when all units are done. busy_ns is the total time of all threads, 0 if unknown. Throws
  // the failure of the work.
  virtual void finish(uint64_t) {}

  // Returns the nanoseconds that one thread needs; UINT64_MAX if unknown.
  virtual uint64_t expected_ns() const noexcept = 0;

  uint64_t units() const noexcept { return units_; }
  uint64_t grain() const noexcept { return grain_; }  // units taken at once
  bool wants_time() const noexcept { return wants_time_; }

 protected:
  Work(uint64_t units, uint64_t grain, bool wants_time)
      : units_(units), grain_(grain), wants_time_(wants_time) {}
  Work(const Work &) = default;
  Work &operator=(const Work &) = default;

 private:
  uint64_t units_, grain_;
  bool wants_time_;
};

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

#endif  // NEXUS_CPU_WORK_HPP_
