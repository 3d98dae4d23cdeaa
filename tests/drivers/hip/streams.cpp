// SPDX-License-Identifier: Apache-2.0
#include "../simulator/event.hpp"
#include "../simulator/graph.hpp"
#include "../simulator/pool.hpp"
#include "devices.hpp"

#include <unistd.h>

using namespace simulator;

namespace {

// Returns the stream of a call that takes it too while it is captured.
std::shared_ptr<Stream> any_stream(Call &call, hipStream_t stream) {
  return call.context->stream(stream);
}

}  // namespace

// ---- Streams ----

SIMULATED_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *out_stream, unsigned flags,
                                                        int) {
  return current_call("hipStreamCreateWithPriority", [&](Call &call) {
    require(out_stream != nullptr && (flags & ~unsigned{hipStreamNonBlocking}) == 0);
    give(out_stream, world().streams.add(Stream::make(*call.context, flags == 0)));
  });
}

SIMULATED_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
  return device_call("hipStreamDestroy", [&](Call &) { world().streams.take(stream)->close(); });
}

SIMULATED_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, int *out_device) {
  return current_call("hipStreamGetDevice", [&](Call &call) {
    give(out_device, any_stream(call, stream)->context()->device().ordinal());
  });
}

SIMULATED_EXPORT hipError_t hipStreamQuery(hipStream_t stream) {
  return stream_call("hipStreamQuery", stream, [](Call &, const auto &asked) {
    asked->refuse_capturing();
    require(asked->idle(), hipErrorNotReady);
  });
}

SIMULATED_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
  return stream_call("hipStreamSynchronize", stream,
                     [](Call &call, const auto &waited) { synchronize(call, waited); });
}

SIMULATED_EXPORT hipError_t hipStreamIsCapturing(hipStream_t stream,
                                                 hipStreamCaptureStatus *out_status) {
  return current_call("hipStreamIsCapturing", [&](Call &call) {
    const auto asked = any_stream(call, stream);
    give(out_status, !asked->capturing() ? 0 : asked->valid_capture() ? 1 : 2);
  });
}

SIMULATED_EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return current_call("hipStreamBeginCapture", [&](Call &call) {
    require(mode >= 0 && mode <= 2);
    any_stream(call, stream)->begin_capture();
  });
}

SIMULATED_EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *out_graph) {
  return current_call("hipStreamEndCapture", [&](Call &call) {
    give(out_graph, Handle{});
    give(out_graph, world().graphs.add(any_stream(call, stream)->end_capture()));
  });
}

SIMULATED_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                                               unsigned flags) {
  return stream_call("hipStreamWaitEvent", stream, [&](Call &, const auto &waiting) {
    require(flags == 0);
    waiting->add(world().events.get(event)->wait_on_device());
  });
}

SIMULATED_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function,
                                              void *user) {
  return stream_call("hipLaunchHostFunc", stream, [&](Call &, const auto &in) {
    require(function != nullptr);
    add_host_function(*in, [function, user] { function(user); });
  });
}

SIMULATED_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function,
                                                 void *user, unsigned flags) {
  return stream_call("hipStreamAddCallback", stream, [&](Call &, const auto &in) {
    require(function != nullptr && flags == 0);
    add_host_function(*in, [=] { function(stream, hipSuccess, user); });
  });
}

// ---- Events ----

SIMULATED_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *out_event, unsigned flags) {
  return current_call("hipEventCreateWithFlags", [&](Call &call) {
    constexpr unsigned kKnown = hipEventBlockingSync | hipEventDisableTiming |
                                hipEventInterprocess | hipEventDisableSystemFence;
    const bool has_time = (flags & hipEventDisableTiming) == 0;
    const bool shared = (flags & hipEventInterprocess) != 0;
    require(out_event != nullptr && (flags & ~kKnown) == 0 && !(shared && has_time));
    give(out_event, make_event(*call.context, has_time, shared));
  });
}

SIMULATED_EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
  return device_call("hipEventDestroy", [&](Call &) { world().events.take(event); });
}

SIMULATED_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return stream_call("hipEventRecord", stream,
                     [&](Call &, const auto &in) { world().events.get(event)->record(*in); });
}

SIMULATED_EXPORT hipError_t hipEventQuery(hipEvent_t event) {
  return device_call("hipEventQuery", [&](Call &) { world().events.get(event)->query(); });
}

SIMULATED_EXPORT hipError_t hipEventSynchronize(hipEvent_t event) {
  return device_call("hipEventSynchronize", [&](Call &call) {
    const auto waited = world().events.get(event);
    waited->synchronize(call.lock);
  });
}

// "clock" fails on demand: the time is negative, as it may be where the clocks of HIP's queues
// differ.
SIMULATED_EXPORT hipError_t hipEventElapsedTime(float *out_milliseconds, hipEvent_t start,
                                                hipEvent_t end) {
  return device_call("hipEventElapsedTime", [&](Call &) {
    const auto &first = world().events.get(start), &second = world().events.get(end);
    require(first->context() == second->context(), hipErrorInvalidHandle);
    const float time = Event::between(*first, *second);
    give(out_milliseconds, world().log.begin("clock") == hipSuccess ? time : -time - 1);
  });
}

SIMULATED_EXPORT hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *out_handle,
                                                 hipEvent_t event) {
  return device_call("hipIpcGetEventHandle", [&](Call &) {
    const auto &shared = world().events.get(event)->shared();
    require(shared != nullptr, hipErrorInvalidConfiguration);
    give(out_handle, shared->place().to_handle<hipIpcEventHandle_t>());
  });
}

SIMULATED_EXPORT hipError_t hipIpcOpenEventHandle(hipEvent_t *out_event,
                                                  hipIpcEventHandle_t handle) {
  return current_call("hipIpcOpenEventHandle", [&](Call &call) {
    require(out_event != nullptr);
    const auto place = ForeignFile::from_handle(handle, ForeignFile::kEvent);
    require(place.process != getpid(), hipErrorInvalidContext);
    give(out_event, import_event(*call.context, place));
  });
}
