// SPDX-License-Identifier: Apache-2.0
// Host callbacks. They are called on a thread of this backend: on the driver's own nothing of CUDA
// may be asked, and after a failure it makes no calls at all.
#ifndef NEXUS_CUDA_HOST_CALLS_HPP_
#define NEXUS_CUDA_HOST_CALLS_HPP_

#include "stream.hpp"

#include <atomic>

namespace nexus_cuda NXS_HIDDEN {

// One callback, as nxsEnqueueHostCallback was given it.
struct HostCall {
  HostCall(nexus_plugin::Ref<Stream> in, void (*function)(void *context, nxs_status status),
           void *given, ConditionPtr told)
      : stream(std::move(in)), callback(function), context(given), condition(std::move(told)) {}

  nexus_plugin::Ref<Stream> stream;
  void (*callback)(void *context, nxs_status status);
  void *context;
  ConditionPtr condition;        // told when the callback has returned
  nxs_ticket behind = 0;         // the newest before it in the stream
  std::atomic<bool> due{false};  // the work before it is done
  bool committed = false;        // under the lock of all calls: enqueued, so that it will be called
  nexus_plugin::FailurePtr cause = {};  // why the stream fails, once it is called
};
using HostCallPtr = nexus_plugin::Shared<HostCall>;

// Enqueues that the call falls due. Throws where that can't be done. It is made once it is
// committed, and none behind it in the stream before.
void enqueue_host_call(Enqueuing &work, const HostCallPtr &call);
void commit_host_call(HostCall &call) noexcept;
// The call, which was not committed, is not made.
void cancel_host_call(const HostCallPtr &call) noexcept;

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_HOST_CALLS_HPP_
