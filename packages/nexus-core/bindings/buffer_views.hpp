// SPDX-License-Identifier: Apache-2.0
//
// The views of a buffer's memory that live: exports of the buffer protocol and of DLPack. While
// there is one, close() is refused.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "bindings.hpp"

namespace nexus::python {

/// How many views of one buffer of libnexus live, whichever instances of Python made them.
class ViewCount {
 public:
  explicit ViewCount(const nexus_object *buffer) noexcept : buffer_(buffer) {}

  /// That of the buffer; made where there is none. Needs the GIL.
  static std::shared_ptr<ViewCount> of(const Buffer &buffer);
  /// How many views of the buffer live. Needs the GIL.
  static std::size_t liveOf(const Buffer &buffer);

  /// One more. BufferError while the buffer is being closed. Needs the GIL.
  void add();
  /// One less. Any thread, with or without the GIL.
  void remove() noexcept { live_.fetch_sub(1, std::memory_order_release); }

 private:
  const nexus_object *const buffer_;
  std::atomic<std::size_t> live_{0};
};

/// A view, from its making to its end. May be destroyed by any thread, with or without the GIL.
class LiveView {
 public:
  explicit LiveView(std::shared_ptr<ViewCount> count) : count_(std::move(count)) { count_->add(); }
  LiveView(const LiveView &) = delete;
  LiveView &operator=(const LiveView &) = delete;
  ~LiveView() { count_->remove(); }

 private:
  const std::shared_ptr<ViewCount> count_;
};

/// Around the end of a buffer: no view is made meanwhile. Made and destroyed with the GIL held,
/// which may be let go in between. BufferError where views live. Makes no count, since few buffers
/// have views.
class Closing {
 public:
  explicit Closing(const Buffer &buffer);
  Closing(const Closing &) = delete;
  Closing &operator=(const Closing &) = delete;
  ~Closing();

  /// Returns whether a call of close() runs. Needs the GIL.
  static bool runs(const nexus_object *buffer) noexcept;

 private:
  static inline Closing *newest = nullptr;  // of those that live; guarded by the GIL

  const nexus_object *const buffer_;
  Closing *newer_ = nullptr;
  Closing *older_;
};

}  // namespace nexus::python
