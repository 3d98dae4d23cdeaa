// SPDX-License-Identifier: Apache-2.0
//
// A stream: work in it is ordered, work in different streams is not.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

class Event;

/// A program's handle of a queue. Closing it ends the queue, which stays alive while work needs it.
class Stream final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Stream;
  enum class Role { Own, Default };

  Stream(Device &device, int32_t priority, Role role = Role::Own);
  /// Wraps a stream of the driver by its native handle. It must stay valid until owner is released.
  Stream(Device &device, uint64_t handle, ForeignOwner owner);
  ~Stream() override;

  Device &device() const noexcept { return device_; }

  /// Returns the stream's current queue. A stream that has failed refuses work until it is closed.
  /// A default stream can't be closed, so it gets a new queue once its failure was reported to a
  /// caller.
  Queue &queue() {
    Queue &queue = *queue_.load(std::memory_order_acquire);
    return role_ == Role::Default && queue.failureReported() ? renewed() : queue;
  }

  /// Returns the newest work in the stream. If others submit to it too, includes their work so far.
  QueuePosition newest(Queue &queue);

  /// Makes later work of this stream wait for all work in other so far, and fail with it.
  void waitFor(Stream &other);

  nxs_id nativeId() const noexcept override { return queue_.load(std::memory_order_acquire)->id(); }
  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  bool closable() const noexcept override { return role_ == Role::Own; }
  void onClose() override;
  Queue &renewed();

  Device &device_;
  const int32_t priority_;
  const Role role_;
  std::atomic<Queue *> queue_;
  std::mutex mutex_;
  // Under mutex_. The last one is current. Earlier ones stay, since another thread may just have
  // read them.
  std::vector<Ref<Queue>> queues_;
  Ref<Event> progress_;  // Signalled for streams that wait for this one; under mutex_, as below.
  const Queue *progress_queue_ = nullptr;  // the queue in which it is signalled
  uint64_t progress_value_ = 0;
};

/// Returns the queue of stream, or of the device's default stream for NULL. Throws
/// NXS_InvalidStream, or NXS_InvalidDevice for a stream of another device.
Queue &queueOf(nexus_stream *stream, Device &device, const char *for_what);

/// Calls submit, which submits work to the queue's plug-in and returns its ticket. name describes
/// the work in error messages.
template <typename Submit>
QueuePosition submitTo(Queue &queue, Submit &&submit, const WorkName &name = {}) {
  nxs_ticket ticket = 0;
  try {
    ticket = submit(queue);
  } catch (const Failure &) {
    queue.explainRefusal();
    throw;
  }
  return queue.submitted(ticket, name);
}

/// Like submitTo(), for held work, whose caller has returned: a failure names the work.
template <typename Submit>
nxs_ticket submitHeld(Queue &queue, Submit &&submit, const WorkName &name = {}) {
  nxs_ticket ticket = 0;
  try {
    ticket = submit(queue);
  } catch (const Failure &failure) {
    queue.explainRefusal(false);
    throw failure.with(name.notSubmitted());
  }
  queue.submitted(ticket, name);
  return ticket;
}

/// Enqueues work: submits it, or holds it back behind held work. submit(Queue &) submits it to the
/// plug-in and returns its ticket; a copy is kept with held work, so it must own what it needs.
/// what: a literal such as "a copy to the host".
template <typename Submit>
QueuePosition enqueueWork(Queue &queue, const Submit &submit, const char *what,
                          DeferredWakes &wakes) {
  const WorkName name{what, {}};
  if (queue.direct()) {
    return submitTo(queue, submit, name);
  }
  return queue.hold({[submit, name](Queue &into) -> std::optional<nxs_ticket> {
                       return submitHeld(into, submit, name);
                     },
                     {}},
                    wakes);
}

}  // namespace nexus::core
