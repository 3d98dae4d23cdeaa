// SPDX-License-Identifier: Apache-2.0
// Conditions of a ticket beside the driver's event, such as a ticket of another stream.
#ifndef NEXUS_PLUGIN_CONDITION_HPP_
#define NEXUS_PLUGIN_CONDITION_HPP_

#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/slot.hpp>
#include <nexus-plugin/stream/staging.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// Stream has tickets().
template <class Stream>
class Condition {
 public:
  // For work that waits for a ticket of another stream: fails if that has failed.
  Condition(Ref<Stream> stream, nxs_ticket ticket) : awaited_(std::move(stream)), ticket_(ticket) {}
  // For a copy of the device from or to a staging slot. into: where complete() copies the slot's
  // bytes, or NULL.
  Condition(StagingSlotPtr slot, void *into, uint64_t size)
      : slot_(std::move(slot)), into_(into), size_(size) {}
  // For work of a thread of the plug-in, which calls returned() at the end.
  enum class By { kHostCall, kCopies };
  explicit Condition(By by) : by_(by) {}

  // Called once, by that thread. failure: empty on success.
  void returned(FailurePtr failure = {}) noexcept {
    failure_ = std::move(failure);
    returned_.store(true, std::memory_order_release);
  }

  // Returns whether the outcome is known, without asking the driver.
  bool known() const noexcept {
    if (awaited_) return awaited_->tickets().completion().done(ticket_);
    return slot_ || returned_.load(std::memory_order_acquire);
  }

  // Returns whether threads of the plug-in still copy from or to the caller's memory.
  bool copies() const noexcept { return by_ == By::kCopies && !known(); }

  // Returns why it has failed; empty if it has not failed or the outcome is not known yet.
  FailurePtr failure() const noexcept {
    if (awaited_) {
      const auto &completion = awaited_->tickets().completion();
      return completion.completed() >= ticket_ ? FailurePtr() : completion.cause();
    }
    return returned_.load(std::memory_order_acquire) ? failure_ : FailurePtr();
  }

  // Called when the device's work is done: does the host's part, a copy from the slot.
  void complete() noexcept {
    if (into_ != nullptr) std::memcpy(std::exchange(into_, nullptr), slot_->memory(), size_);
  }

  // Skips the host's part: the caller is not notified when the device's work is done, and its
  // memory may be gone by then.
  void abandon() noexcept { into_ = nullptr; }

  // The awaited stream; empty for other conditions.
  const Ref<Stream> &awaited() const noexcept { return awaited_; }

 private:
  Ref<Stream> awaited_;
  nxs_ticket ticket_ = 0;
  StagingSlotPtr slot_;
  void *into_ = nullptr;
  uint64_t size_ = 0;
  By by_ = By::kHostCall;
  FailurePtr failure_;  // valid once returned_ is true
  std::atomic<bool> returned_{false};
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_CONDITION_HPP_
