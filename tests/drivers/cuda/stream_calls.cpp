// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"
#include "device.hpp"
#include "event.hpp"
#include "memory.hpp"
#include "stream.hpp"

#include <algorithm>

using namespace simulated_cuda;

namespace {

CUresult create_stream(const char *name, CUstream *out_stream, unsigned flags, int priority) {
  return call(name, Needs::kContext, [&](Call &call) {
    require(out_stream != nullptr && (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) == 0);
    const int clamped = std::clamp(priority, kGreatestPriority, kLeastPriority);
    auto made = Stream::make(*call.context, flags, clamped);
    made->handle = world().streams.add(made);
    *out_stream = made->handle;
  });
}

}  // namespace

SIMULATED_EXPORT CUresult cuStreamCreate(CUstream *out_stream, unsigned flags) {
  return create_stream("cuStreamCreate", out_stream, flags, 0);
}

SIMULATED_EXPORT CUresult cuStreamCreateWithPriority(CUstream *out_stream, unsigned flags,
                                                     int priority) {
  return create_stream("cuStreamCreateWithPriority", out_stream, flags, priority);
}

SIMULATED_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return call("cuStreamDestroy", Needs::kContext,
              [&](Call &) { world().streams.take(stream)->close(); });
}

SIMULATED_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *out_priority) {
  return call("cuStreamGetPriority", Needs::kContext,
              [&](Call &call) { give(out_priority, call.context->stream(stream)->priority()); });
}

SIMULATED_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *out_flags) {
  return call("cuStreamGetFlags", Needs::kContext,
              [&](Call &call) { give(out_flags, call.context->stream(stream)->flags()); });
}

SIMULATED_EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *out_id) {
  return call("cuStreamGetId", Needs::kContext, [&](Call &call) {
    give(out_id, static_cast<unsigned long long>(call.context->stream(stream)->id()));
  });
}

SIMULATED_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *out_context) {
  return call("cuStreamGetCtx", Needs::kContext, [&](Call &call) {
    give(out_context, call.context->stream(stream)->context()->handle);
  });
}

SIMULATED_EXPORT CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *out_context,
                                            void **out_green_context) {
  return call("cuStreamGetCtx", Needs::kContext, [&](Call &call) {
    give(out_context, call.context->stream(stream)->context()->handle);
    if (out_green_context != nullptr) *out_green_context = nullptr;
  });
}

SIMULATED_EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *out_device) {
  return call("cuStreamGetDevice", Needs::kContext, [&](Call &call) {
    give(out_device, call.context->stream(stream)->context()->device().ordinal());
  });
}

SIMULATED_EXPORT CUresult cuStreamQuery(CUstream stream) {
  return call("cuStreamQuery", Needs::kContext, [&](Call &call) {
    require(call.context->stream(stream)->idle(), CUDA_ERROR_NOT_READY);
  });
}

SIMULATED_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  return call("cuStreamSynchronize", Needs::kContext, [&](Call &call) {
    const auto waited = call.context->stream(stream);
    wait_for(call.lock, waited->end());
    const CUresult failure = waited->context()->failure();
    require(failure == CUDA_SUCCESS, failure);
    trim_pools(*waited->context());
  });
}

SIMULATED_EXPORT CUresult cuStreamIsCapturing(CUstream stream, int *out_status) {
  return call("cuStreamIsCapturing", Needs::kContext, [&](Call &call) {
    give(out_status, call.context->stream(stream)->capturing ? 1 : 0);
  });
}

// Nothing is captured: a stream that would be takes no work.
SIMULATED_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  return call("cuStreamBeginCapture", Needs::kContext, [&](Call &call) {
    const auto captured = call.context->stream(stream);
    require(mode >= 0 && mode <= 2);
    require(captured != call.context->legacy(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    require(!captured->capturing, CUDA_ERROR_ILLEGAL_STATE);
    captured->capturing = true;
  });
}

SIMULATED_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *out_graph) {
  return call("cuStreamEndCapture", Needs::kContext, [&](Call &call) {
    const auto captured = call.context->stream(stream);
    require(out_graph != nullptr && captured->capturing, CUDA_ERROR_ILLEGAL_STATE);
    captured->capturing = false;
    *out_graph = nullptr;
  });
}

SIMULATED_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return call("cuStreamWaitEvent", Needs::kContext, [&](Call &call) {
    require((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) == 0);
    const auto waiting = stream_of(call, stream);
    waiting->add(world().events.get(event)->wait_on_device());
  });
}

SIMULATED_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user) {
  return call("cuLaunchHostFunc", Needs::kContext, [&](Call &call) {
    require(function != nullptr);
    stream_of(call, stream)->add([function, user] {
      run_on_host([&] { function(user); });
      return CUDA_SUCCESS;
    });
  });
}

SIMULATED_EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function,
                                              void *user, unsigned flags) {
  return call("cuStreamAddCallback", Needs::kContext, [&](Call &call) {
    require(function != nullptr && flags == 0);
    Work work;
    work.after_failure = true;
    work.run = [=](CUresult failure) {
      run_on_host([&] { function(stream, failure, user); });
      return CUDA_SUCCESS;
    };
    stream_of(call, stream)->add(std::move(work));
  });
}
