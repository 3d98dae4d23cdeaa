// SPDX-License-Identifier: Apache-2.0
#include "stream/stream.hpp"

#include <algorithm>
#include <nexus-plugin/base/functions.hpp>

namespace nexus_cuda NXS_HIDDEN {

constinit HandleTable<Stream, NXS_ObjectType_Stream> streams;

namespace {

// Takes a pooled stream. Priorities below normal, which the driver does not have, become normal.
PooledStream &take_pooled(Device &device, int32_t priority) {
  device.refuse_lost();
  const CurrentContext current(device);
  int least = 0, greatest = 0;
  device.check(cu.CtxGetStreamPriorityRange(&least, &greatest), "reading the stream priorities");
  if (priority < greatest || priority > std::max(least, -greatest)) {
    throw Error(NXS_InvalidValue, "priority is ", priority, "; the device '", device.name(),
                "' has those from ", greatest, " (the most urgent) to ",
                std::max(least, -greatest));
  }
  return device.state().stream_pool.take(std::min(priority, least));
}

constexpr const char *kFollowing = "following another library's stream";

// Refuses a stream that is being captured into a graph: its work does not run now, and recording an
// event for waits would make the capture invalid.
void refuse_captured(Device &device, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  device.check(cu.StreamIsCapturing(stream, &status), "asking whether a stream is captured");
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return;
  throw Error(NXS_InvalidOperation,
              "the stream is another library's, which is capturing its work into a graph; end the "
              "capture first, or use another stream");
}

}  // namespace

Stream::Stream(Device &device, int32_t priority, PooledStream &pooled)
    : QueuedStream(device, priority, {&device, &pooled}),
      state_(&device.state()),
      pooled_(&pooled) {}

Stream::Stream(Device &device, int32_t priority)
    : Stream(device, priority, take_pooled(device, priority)) {}

Stream::Stream(Device &device, ForeignStream foreign) : Stream(device, 0) {
  follows_ = !foreign.is_legacy_default();
  foreign_ = std::move(foreign);
  if (!follows_) state_->stream_pool.redirect(*pooled_, foreign_->handle);
}

Stream::~Stream() {
  state_->stream_pool.give_back(*pooled_);
}

void Stream::leave_foreign() noexcept {
  if (!foreign_) return;
  const std::lock_guard lock(tickets().mutex());
  if (!follows_) {
    try {
      const CurrentContext current(device());
      Enqueuing work{device(), pooled_->stream, true};
      follow_foreign(work);
    } catch (const std::exception &) {  // the device is lost, or the work has ended
    }
    state_->stream_pool.redirect_back(*pooled_);
  }
  follows_ = false;
}

void Stream::enter_foreign(Enqueuing &work) {
  work.stream = foreign_->handle;
  refuse_captured(device(), work.stream);
  if (!foreign_->is_thread_default()) return;
  const CUevent before = foreign_->before->get();
  device().check(cu.EventRecord(before, pooled_->own), "entering a thread's default stream");
  device().check(cu.StreamWaitEvent(work.stream, before, 0), "entering a thread's default stream");
}

CUresult Stream::try_to_follow(CUstream theirs) noexcept {
  const CUevent after = foreign_->after->get();
  const CUresult recorded = cu.EventRecord(after, theirs);
  return recorded != CUDA_SUCCESS ? recorded : cu.StreamWaitEvent(pooled_->own, after, 0);
}

void Stream::follow_foreign(Enqueuing &work) {
  CUresult followed = try_to_follow(work.stream);
  if (followed != CUDA_SUCCESS && !is_fatal(followed)) followed = try_to_follow(work.stream);
  try {
    device().check(followed, kFollowing);
  } catch (...) {
    const CUresult ended = work.begun ? cu.StreamSynchronize(work.stream) : CUDA_SUCCESS;
    if (is_fatal(ended)) (void)device().failure_of(ended, kFollowing);
    throw;
  }
}

void Stream::fail_if_begun(Enqueuing &work) noexcept {
  if (follows_ && work.begun) {
    try {
      follow_foreign(work);
    } catch (const std::exception &) {  // the stream fails in any case
    }
  }
  if (work.begun || device().lost() != nullptr) tickets().fail(nexus_plugin::current_failure());
}

void Stream::keep_until_idle(ConditionPtr condition) noexcept {
  state_->frees.add_when_idle(stream_bit(pooled_->index), [condition = std::move(condition)] {});
}

EventPtr Stream::record(Enqueuing &work, bool timed) {
  EventPtr event = EventPtr::make(state_->events, timed);
  work.check(cu.EventRecord(event->get(), work.stream), "recording an event");
  return event;
}

namespace {

// Returns whether the driver's result means that a handle is no stream.
bool says_no_stream(CUresult answer) noexcept {
  return answer == CUDA_ERROR_INVALID_HANDLE || answer == CUDA_ERROR_INVALID_VALUE ||
         answer == CUDA_ERROR_INVALID_CONTEXT;
}

// Checks the arguments of nxsCreateStreamFromHandle.
ForeignStream find_foreign(Device &device, uint64_t handle) {
  device.refuse_lost();
  DeviceState &state = device.state();
  const CurrentContext current(device);
  ForeignStream found{reinterpret_cast<CUstream>(static_cast<uintptr_t>(handle)),
                      EventPtr::make(state.events, false), EventPtr::make(state.events, false)};
  CUcontext context = nullptr;
  const CUresult known = cu.StreamGetCtx(found.handle, &context);
  if (says_no_stream(known)) {
    throw Error::with_native_code(known, NXS_InvalidValue, "handle is ", handle,
                                  ", and the driver knows no such stream (", error_name(known),
                                  "); give the handle of an existing CUDA stream, or 1 or 2 for a "
                                  "default stream");
  }
  device.check(known, "asking for the context of a stream");
  if (context != device.context()) {
    throw Error(NXS_InvalidValue, "handle is ", handle,
                ", a stream of another device, or of a context that is not the primary one of the "
                "device '",
                device.name(), "' (", device.ordinal(), "); give a stream of its primary context");
  }
  return found;
}

constexpr auto stream_properties = nexus_plugin::property_table<Stream>({
    {NP_NativeHandle, [](const Stream &stream) -> Value { return stream.native_handle(); }},
});

}  // namespace
}  // namespace nexus_cuda

using namespace nexus_cuda;

NEXUS_PLUGIN_QUEUED_STREAM(Queue, streams, stream_properties)

NEXUS_PLUGIN_RESULT(CreateStream, (nxs_id device, int32_t priority, nxs_id *out),
                    streams.create(device_of(device), priority))
NEXUS_PLUGIN_RESULT(CreateStreamFromHandle, (nxs_id device, uint64_t handle, nxs_id *out),
                    streams.create(device_of(device), find_foreign(device_of(device), handle)))
NEXUS_PLUGIN_FUNCTION(ReleaseStream, (nxs_id id), streams.release(id)->leave_foreign())
