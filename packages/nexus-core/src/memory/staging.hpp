// SPDX-License-Identifier: Apache-2.0
//
// Host memory through which copies between devices go where neither sees the other's.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ref.hpp"
#include "memory/native_buffer.hpp"

namespace nexus::core {

class CrossDeviceCopy;

/// A piece of host memory: a device's own, which it copies to and from fastest, or pages.
class Chunk {
 public:
  static constexpr uint64_t kSize = uint64_t{4} << 20;

  /// Of a device, mapped by work in its queue and usable for later work there. Throws where the
  /// device has no such memory.
  explicit Chunk(Queue &queue);
  /// Pages. Throws NXS_OutOfHostMemory.
  Chunk();
  ~Chunk();
  Chunk(const Chunk &) = delete;
  Chunk &operator=(const Chunk &) = delete;

  unsigned char *start() const noexcept { return start_; }
  /// Whether work of the device may use it.
  bool serves(const Device &device) const noexcept { return !own_ || &own_->device() == &device; }

 private:
  std::unique_ptr<NativeBuffer> own_;  // none: pages
  unsigned char *start_ = nullptr;
};

using Chunks = std::vector<std::unique_ptr<Chunk>>;

/// All chunks of the process: no more than kMost, used again, and freed when nothing was copied for
/// a while. Any thread may use it.
class Staging {
 public:
  static constexpr std::size_t kMost = 16;

  /// Up to count chunks for a copy that begins in a queue. None where others have them all: the
  /// copy is then called when some come back.
  Chunks take(std::size_t count, Queue &queue, CrossDeviceCopy &copy);
  /// Takes back chunks that nothing uses any more.
  void give(Chunks chunks) noexcept;
  /// Frees chunks that nothing uses any more.
  void drop(Chunks chunks) noexcept;
  /// Frees what nobody has.
  void freeUnused() noexcept;

 private:
  using Spare = std::array<std::unique_ptr<Chunk>, kMost>;

  std::unique_ptr<Chunk> takeSpare(const Device &device);
  std::unique_ptr<Chunk> makeRoom();
  void release(std::size_t count) noexcept;
  void callWaiting() noexcept;

  std::mutex mutex_;
  Spare spare_;           // under mutex_, as all below; empty places anywhere
  std::size_t made_ = 0;  // how many chunks there are
  std::vector<Ref<CrossDeviceCopy>> waiting_;
};

}  // namespace nexus::core
