// SPDX-License-Identifier: Apache-2.0
// The driver's streams and events, for the templates of the kit.
#ifndef NEXUS_CUDA_QUEUE_HPP_
#define NEXUS_CUDA_QUEUE_HPP_

#include "device/device.hpp"

#include <chrono>
#include <functional>
#include <nexus-plugin/stream/event_pool.hpp>
#include <nexus-plugin/stream/queued_stream.hpp>
#include <nexus-plugin/stream/stream_pool.hpp>

namespace nexus_cuda NXS_HIDDEN {

using nexus_plugin::known_member;
using nexus_plugin::member;
using nexus_plugin::Ref;
using nexus_plugin::Shared;
using nexus_plugin::Value;

class Stream;

// One submission.
struct Enqueuing {
  Device &device;
  CUstream stream;
  bool begun = false;  // whether anything was enqueued

  // Checks the result of each call that enqueues work.
  void check(CUresult result, std::string_view what) {
    device.check(result, what);
    begun = true;
  }
};

using Condition = nexus_plugin::Condition<Stream>;
using ConditionPtr = Shared<Condition>;

// A pooled stream; see the kit's tickets.hpp, event_pool.hpp, stream_pool.hpp and host_calls.hpp
// for what the members do.
struct Queue {
  using Device = nexus_cuda::Device;
  using NativeEvent = CUevent;
  static CUevent make_event(Device &device, bool timed) {
    CUevent made = nullptr;
    device.check(cu.EventCreate(&made, timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
                 "making an event");
    return made;
  }
  static void destroy_event(CUevent event) noexcept { cu.EventDestroy(event); }
  using NativeStream = CUstream;
  static CUstream make_stream(Device &device, int32_t priority) {
    CUstream made = nullptr;
    device.check(cu.StreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, priority),
                 "making a stream");
    return made;
  }
  static CUresult query_stream(CUstream stream) noexcept { return cu.StreamQuery(stream); }

  using Stream = nexus_cuda::Stream;
  using Event = Shared<nexus_plugin::PooledEvent<Queue>>;
  using Status = CUresult;
  static constexpr CUresult kDone = CUDA_SUCCESS;
  static bool is_running(CUresult status) noexcept { return status == CUDA_ERROR_NOT_READY; }
  // Spinning avoids the tens of microseconds by which a sleeping thread wakes late. The driver's
  // own wait spins without limit.
  static constexpr std::chrono::milliseconds kSpin{10};

  const nexus_plugin::Failure *lost() const noexcept { return device->lost(); }
  FailurePtr lost_cause() const { return device->lost_cause(); }
  static CurrentContext use(Device &device) { return CurrentContext(device); }
  CurrentContext use() const { return use(*device); }
  Event record() const;
  static CUresult query(const Event &event) noexcept { return cu.EventQuery(event->get()); }
  CUresult query_all() const noexcept { return query_stream(pooled->stream); }
  FailurePtr failure_of(CUresult status) const noexcept;
  void waited() const;
  static void enqueue_wait(Enqueuing &work, const nexus_plugin::StreamSignal<Queue> &signal);
  static double elapsed(Device &device, const Event &start, const Event &end);
  static void enqueue_host_call(Enqueuing &work, void (*reached)(void *), void *call) {
    work.check(cu.LaunchHostFunc(work.stream, reached, call), "enqueuing a host callback");
  }
  void call_later(Event event, std::function<void()> call) const noexcept;

  Device *device;
  const nexus_plugin::PooledStream<CUstream> *pooled;
};

using DeferredFrees = nexus_plugin::DeferredFrees<Queue>;
using PooledStream = nexus_plugin::PooledStream<CUstream>;
using StreamPool = nexus_plugin::StreamPool<Queue>;
using EventPool = nexus_plugin::EventPool<Queue>;
using EventPtr = Queue::Event;
using Signal = nexus_plugin::StreamSignal<Queue>;
using Tickets = nexus_plugin::Tickets<Queue>;
using nexus_plugin::StagingSlotPtr;
using nexus_plugin::stream_bit;
using nexus_plugin::StreamSet;
using nexus_plugin::WakePtr;

// A stream outside the pool, destroyed by the destructor. The device's context must be current.
class OwnedStream {
 public:
  explicit OwnedStream(Device &device) : stream_(Queue::make_stream(device, 0)) {}
  ~OwnedStream() { log_unreleased(cu.StreamDestroy(stream_), "destroying a stream"); }
  OwnedStream(const OwnedStream &) = delete;
  OwnedStream &operator=(const OwnedStream &) = delete;

  CUstream get() const noexcept { return stream_; }

 private:
  const CUstream stream_;
};

}  // namespace nexus_cuda

#endif  // NEXUS_CUDA_QUEUE_HPP_
