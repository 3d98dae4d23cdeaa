// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"

#include "stream.hpp"

#include <cstring>
#include <utility>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::FailurePtr;
using nexus_plugin::Ref;

Condition::Condition(Ref<Stream> stream, nxs_ticket ticket)
    : awaited_(std::move(stream)), ticket_(ticket) {}
Condition::Condition(SlotPtr slot, void *into, uint64_t size)
    : slot_(std::move(slot)), into_(into), size_(size) {}
Condition::Condition(By by) : by_(by) {}
Condition::~Condition() = default;

void Condition::returned(FailurePtr failure) {
  failure_ = std::move(failure);
  returned_.store(true, std::memory_order_release);
}

bool Condition::known() const noexcept {
  if (awaited_) return awaited_->tickets().completion().done(ticket_);
  return slot_ || returned_.load(std::memory_order_acquire);
}

FailurePtr Condition::failure() const noexcept {
  if (awaited_) {
    const auto &completion = awaited_->tickets().completion();
    return completion.completed() >= ticket_ ? FailurePtr() : completion.cause();
  }
  return returned_.load(std::memory_order_acquire) ? failure_ : FailurePtr();
}

void Condition::complete() noexcept {
  if (into_ != nullptr) std::memcpy(std::exchange(into_, nullptr), slot_->memory(), size_);
}

}  // namespace nexus_cuda
