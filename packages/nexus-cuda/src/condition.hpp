// SPDX-License-Identifier: Apache-2.0
// What a ticket needs beside the driver's event.
#ifndef NEXUS_CUDA_CONDITION_HPP_
#define NEXUS_CUDA_CONDITION_HPP_

#include "staging.hpp"

#include <atomic>
#include <mutex>
#include <nexus-plugin/failure.hpp>
#include <nexus-plugin/shared.hpp>
#include <nexus-plugin/slot.hpp>

namespace nexus_cuda NXS_HIDDEN {

class Stream;

class Condition {
 public:
  // Work that waits for a ticket of another stream: fails where that did.
  Condition(nexus_plugin::Ref<Stream> stream, nxs_ticket ticket);
  // Bytes that the device reads from, or writes to, a slot. into: where they go when it is done;
  // NULL for none.
  Condition(SlotPtr slot, void *into, uint64_t size);
  // What a thread of the plug-in does, and says with returned().
  enum class By { kCallback, kCopies };
  explicit Condition(By by);
  ~Condition();

  // By the thread, once. failure: empty where all went well.
  void returned(nexus_plugin::FailurePtr failure = {});

  // Whether it is known, without asking the driver.
  bool known() const noexcept;
  // Whether threads of the plug-in still copy from or to the host's memory.
  bool copies() const noexcept { return by_ == By::kCopies && !known(); }
  // Why it failed; empty while that is not known.
  nexus_plugin::FailurePtr failure() const noexcept;
  // The device's part is done: what is the host's is done here, once, by whoever asks.
  void complete() noexcept;

  // The stream that is waited for; empty for the other kinds.
  const nexus_plugin::Ref<Stream> &awaited() const noexcept { return awaited_; }

 private:
  nexus_plugin::Ref<Stream> awaited_;
  nxs_ticket ticket_ = 0;
  SlotPtr slot_;
  void *into_ = nullptr;
  uint64_t size_ = 0;
  By by_ = By::kCallback;
  nexus_plugin::FailurePtr failure_;  // valid once it has returned
  std::atomic<bool> returned_{false};
};
using ConditionPtr = nexus_plugin::Shared<Condition>;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_CONDITION_HPP_
