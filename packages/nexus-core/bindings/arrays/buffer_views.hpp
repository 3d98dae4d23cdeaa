// SPDX-License-Identifier: Apache-2.0
//
// The live views of a buffer's memory: exports of the buffer protocol and of DLPack. While there
// are any, close() is refused.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "python/bindings.hpp"

namespace nexus::python {

/// The number of live views of one buffer of libnexus, from all Python instances.
class ViewCount {
 public:
  explicit ViewCount(const nexus_object *buffer) noexcept : buffer_(buffer) {}

  /// Returns the buffer's count; makes it if there is none. Needs the GIL.
  static std::shared_ptr<ViewCount> of(const Buffer &buffer);

  /// Adds one. BufferError while the buffer is being closed. Needs the GIL.
  void add();
  /// Removes one. Any thread, with or without the GIL.
  void remove() noexcept { live_.fetch_sub(1, std::memory_order_release); }

 private:
  friend class Closing;

  const nexus_object *const buffer_;
  std::atomic<std::size_t> live_{0};
};

/// A view. May be destroyed on any thread, with or without the GIL.
class LiveView {
 public:
  explicit LiveView(std::shared_ptr<ViewCount> count) : count_(std::move(count)) { count_->add(); }
  LiveView(const LiveView &) = delete;
  LiveView &operator=(const LiveView &) = delete;
  ~LiveView() { count_->remove(); }

 private:
  const std::shared_ptr<ViewCount> count_;
};

/// Prevents new views while a buffer is closed. Constructed and destroyed with the GIL, which may
/// be released in between. BufferError if there are live views. Does not make a count, since few
/// buffers have views.
class Closing {
 public:
  explicit Closing(const Buffer &buffer);
  Closing(const Closing &) = delete;
  Closing &operator=(const Closing &) = delete;
  ~Closing();

 private:
  friend class ViewCount;
  // Whether a call of close() is running. Needs the lock.
  static bool runs(const nexus_object *buffer) noexcept;

  static inline Closing *newest = nullptr;  // list of live ones

  const nexus_object *const buffer_;
  Closing *newer_ = nullptr;
  Closing *older_ = nullptr;
};

}  // namespace nexus::python
