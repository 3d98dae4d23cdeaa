// SPDX-License-Identifier: Apache-2.0
#include "../simulator/stream.hpp"

#include "../simulator/context.hpp"
#include "../simulator/event.hpp"
#include "../simulator/graph.hpp"
#include "../simulator/pool.hpp"

using namespace simulator;

namespace {

CUresult create_stream(const char *name, CUstream *out_stream, unsigned flags) {
  return call(name, Needs::kContext, [&](Call &call) {
    require(out_stream != nullptr && (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) == 0);
    give(out_stream, world().streams.add(Stream::make(*call.context, flags == 0)));
  });
}

}  // namespace

// ---- Streams ----

SIMULATED_EXPORT CUresult cuStreamCreate(CUstream *out_stream, unsigned flags) {
  return create_stream("cuStreamCreate", out_stream, flags);
}

SIMULATED_EXPORT CUresult cuStreamCreateWithPriority(CUstream *out_stream, unsigned flags, int) {
  return create_stream("cuStreamCreateWithPriority", out_stream, flags);
}

SIMULATED_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return call("cuStreamDestroy", Needs::kContext,
              [&](Call &) { world().streams.take(stream)->close(); });
}

SIMULATED_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *out_context) {
  return call("cuStreamGetCtx", Needs::kContext, [&](Call &call) {
    give(out_context, call.context->stream(stream)->context()->handle);
  });
}

SIMULATED_EXPORT CUresult cuStreamQuery(CUstream stream) {
  return call("cuStreamQuery", Needs::kContext, [&](Call &call) {
    const auto asked = call.context->stream(stream);
    asked->refuse_capturing();
    require(asked->idle(), CUDA_ERROR_NOT_READY);
  });
}

SIMULATED_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  return call("cuStreamSynchronize", Needs::kContext,
              [&](Call &call) { synchronize(call, call.context->stream(stream)); });
}

SIMULATED_EXPORT CUresult cuCtxSynchronize() {
  return call("cuCtxSynchronize", Needs::kContext, [&](Call &call) {
    call.context->wait(call);
    require(call.context->failure() == CUDA_SUCCESS, call.context->failure());
    trim_pools(*call.context);
  });
}

SIMULATED_EXPORT CUresult cuStreamIsCapturing(CUstream stream, int *out_status) {
  return call("cuStreamIsCapturing", Needs::kContext, [&](Call &call) {
    const auto asked = call.context->stream(stream);
    give(out_status, !asked->capturing() ? 0 : asked->valid_capture() ? 1 : 2);
  });
}

SIMULATED_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  return call("cuStreamBeginCapture", Needs::kContext, [&](Call &call) {
    require(mode >= 0 && mode <= 2);
    call.context->stream(stream)->begin_capture();
  });
}

SIMULATED_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *out_graph) {
  return call("cuStreamEndCapture", Needs::kContext, [&](Call &call) {
    require(out_graph != nullptr);
    *out_graph = nullptr;
    give(out_graph, world().graphs.add(call.context->stream(stream)->end_capture()));
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
    add_host_function(*stream_of(call, stream), [function, user] { function(user); });
  });
}

// ---- Events ----

SIMULATED_EXPORT CUresult cuEventCreate(CUevent *out_event, unsigned flags) {
  return call("cuEventCreate", Needs::kContext, [&](Call &call) {
    const bool has_time = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
    require(out_event != nullptr && flags < 8 && !(shared && has_time));
    give(out_event, make_event(*call.context, has_time, shared));
  });
}

SIMULATED_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return call("cuEventDestroy", Needs::kContext, [&](Call &) { world().events.take(event); });
}

SIMULATED_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return call("cuEventRecord", Needs::kContext, [&](Call &call) {
    world().events.get(event)->record(*call.context->stream(stream));
  });
}

SIMULATED_EXPORT CUresult cuEventQuery(CUevent event) {
  return call("cuEventQuery", Needs::kContext, [&](Call &) { world().events.get(event)->query(); });
}

SIMULATED_EXPORT CUresult cuEventSynchronize(CUevent event) {
  return call("cuEventSynchronize", Needs::kContext, [&](Call &call) {
    const auto waited = world().events.get(event);
    waited->synchronize(call.lock);
  });
}

SIMULATED_EXPORT CUresult cuEventElapsedTime(float *out_milliseconds, CUevent start, CUevent end) {
  return call("cuEventElapsedTime", Needs::kContext, [&](Call &) {
    const auto &events = world().events;
    give(out_milliseconds, Event::between(*events.get(start), *events.get(end)));
  });
}

SIMULATED_EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *out_handle, CUevent event) {
  return call("cuIpcGetEventHandle", Needs::kContext, [&](Call &) {
    const auto &shared = world().events.get(event)->shared();
    require(shared != nullptr, CUDA_ERROR_INVALID_HANDLE);
    give(out_handle, shared->place().to_handle<CUipcEventHandle>());
  });
}

SIMULATED_EXPORT CUresult cuIpcOpenEventHandle(CUevent *out_event, CUipcEventHandle handle) {
  return call("cuIpcOpenEventHandle", Needs::kContext, [&](Call &call) {
    require(out_event != nullptr);
    const auto place = ForeignFile::from_handle(handle, ForeignFile::kEvent);
    give(out_event, import_event(*call.context, place));
  });
}
