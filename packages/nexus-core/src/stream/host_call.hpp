// SPDX-License-Identifier: Apache-2.0
//
// Functions of the program that are called in the order of a stream.
#pragma once

#include <nexus/nexus_c.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ref.hpp"
#include "stream/queue.hpp"
#include "stream/running_call.hpp"

namespace nexus::core {

class HostCall;

/// What a call in a queue does.
class Callee : public Counted {
 public:
  /// Does it on this thread, as that call. Throws its failure.
  virtual void call(RunningCall &running, const WorkName &work) const = 0;
};

/// A function of the program and what it needs. Its users are commands and the calls in flight; the
/// last one releases it, once a schedule has taken it over.
class HostFunction final : public Callee {
 public:
  /// Throws NXS_InvalidValue for an invalid description.
  explicit HostFunction(const nexus_host_function &description);

  /// Empty if the program gave none.
  const std::string &name() const noexcept { return name_; }
  /// Makes the last user release it. The program keeps a refused function.
  void takeOver() noexcept { owned_ = true; }
  void call(RunningCall &running, const WorkName &work) const override;

 private:
  ~HostFunction() override;

  std::string name_;
  nexus_host_function description_;
  bool owned_ = false;
};

/// Enqueues a call: it begins when the queue's earlier work is done, on a thread that may use
/// libnexus and wait, and later work begins after it. A call that fails makes the queue fail. work:
/// describes the call in errors. memories: the scratch memory that it may use.
QueuePosition enqueueCall(Queue &queue, const Ref<Callee> &callee, std::vector<CallMemory> memories,
                          const WorkName &work, DeferredWakes &wakes);

/// The threads on which calls run. A call may wait for others, so each requested call has a thread.
/// A queue has at most one such call. Any thread may use it.
class HostCallThreads {
 public:
  /// Makes sure that there is a thread for one more call. Throws NXS_OutOfResources.
  void reserve();
  /// Takes back a reservation whose call is not enqueued.
  void release() noexcept;
  /// Performs a reserved call soon. Takes over the caller's reference. May be called on a thread of
  /// a plug-in that must not call the plug-in.
  void enqueue(Ref<HostCall> call) noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable added_;
  HostCall *first_ = nullptr;  // under mutex_, as all below; each with a reference
  HostCall *last_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t threads_ = 0;
};

}  // namespace nexus::core
