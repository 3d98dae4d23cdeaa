// SPDX-License-Identifier: Apache-2.0
// Host callbacks. They are called on a thread of this backend: a driver's own may neither wait nor
// be kept, and nothing of a stream may be asked there.
#ifndef NEXUS_OPENCL_HOST_CALLS_HPP_
#define NEXUS_OPENCL_HOST_CALLS_HPP_

#include "stream.hpp"

#include <memory>

namespace nexus_opencl NXS_HIDDEN {

// One callback, as nxsEnqueueHostCallback was given it.
struct HostCall {
  HostCall(nexus_plugin::Ref<Stream> in, void (*function)(void *context, nxs_status status),
           void *given, ConditionPtr told)
      : stream(std::move(in)), callback(function), context(given), condition(std::move(told)) {}

  nexus_plugin::Ref<Stream> stream;
  void (*callback)(void *context, nxs_status status);
  void *context;
  ConditionPtr condition;   // told when the callback has returned
  Owned<cl_event> awaited;  // to be waited for on the calling thread; empty: it is done
};

// Calls it once when the event is done, with the stream's failure where there is one.
void call_when_done(std::unique_ptr<HostCall> call, Owned<cl_event> event) noexcept;

}  // namespace nexus_opencl

#endif  // NEXUS_OPENCL_HOST_CALLS_HPP_
