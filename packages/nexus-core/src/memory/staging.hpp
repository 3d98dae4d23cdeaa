// SPDX-License-Identifier: Apache-2.0
//
// Host memory for staging copies between devices that can't access each other's memory.
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

/// A piece of host memory: a device's own, which it copies to and from fastest, or plain pages.
class Chunk {
 public:
  static constexpr uint64_t kSize = uint64_t{4} << 20;

  /// Allocates a device's host memory, mapped by work in queue and usable for later work there.
  /// Throws if the device has none.
  explicit Chunk(Queue &queue);
  /// Allocates pages. Throws NXS_OutOfHostMemory.
  Chunk();
  ~Chunk();
  Chunk(const Chunk &) = delete;
  Chunk &operator=(const Chunk &) = delete;

  unsigned char *start() const noexcept { return start_; }
  /// Returns whether work of the device may use it.
  bool serves(const Device &device) const noexcept { return !own_ || &own_->device() == &device; }

 private:
  std::unique_ptr<NativeBuffer> own_;  // none: pages
  unsigned char *start_ = nullptr;
};

using Chunks = std::vector<std::unique_ptr<Chunk>>;

/// All chunks of the process: at most kMost, pooled, and freed when nothing was copied for a while.
/// Any thread may use it.
class Staging {
 public:
  static constexpr std::size_t kMost = 16;

  /// Returns up to count chunks for a copy that begins in queue. If all are in use, returns none,
  /// and the copy is enqueued in the CopyThread when some are given back.
  Chunks take(std::size_t count, Queue &queue, CrossDeviceCopy &copy);
  /// Takes back chunks that nothing uses any more, to use them again.
  void give(Chunks chunks) noexcept;
  /// Takes back chunks that nothing uses any more, and frees them.
  void drop(Chunks chunks) noexcept;
  void freeUnused() noexcept;

 private:
  using Spare = std::array<std::unique_ptr<Chunk>, kMost>;

  std::unique_ptr<Chunk> takeSpare(const Device &device);
  std::unique_ptr<Chunk> makeRoom();
  void release(std::size_t count) noexcept;
  void callWaiting() noexcept;

  std::mutex mutex_;
  Spare spare_;           // under mutex_, as all below; some are empty
  std::size_t made_ = 0;  // number of chunks that exist
  std::vector<Ref<CrossDeviceCopy>> waiting_;
};

}  // namespace nexus::core
