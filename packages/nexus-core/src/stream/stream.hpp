// SPDX-License-Identifier: Apache-2.0
//
// A stream: work in it is ordered, across streams it is not.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "object/object.hpp"
#include "stream/queue.hpp"

namespace nexus::core {

class Event;

/// What a program holds of a queue. Its end ends the queue, which lives on where work
/// still needs it.
class Stream final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Stream;
  enum class Role { Own, Default };

  Stream(Device &device, int32_t priority, Role role = Role::Own);
  /// Over a stream of the driver with that native handle, which owner keeps.
  Stream(Device &device, uint64_t handle, ForeignOwner owner);
  ~Stream() override;

  Device &device() const noexcept { return device_; }

  /// The queue that work goes to. A stream that has failed refuses work until it is closed;
  /// a default stream can't be closed, so it goes on with a new queue once its failure was
  /// told to a caller.
  Queue &queue() {
    Queue &queue = *queue_.load(std::memory_order_acquire);
    return role_ == Role::Default && queue.failureReported() ? renewed() : queue;
  }

  /// The newest work in the stream; where others give it work too, behind theirs.
  QueuePosition newest(Queue &queue);

  /// WaitThread work waits for all work given to other so far, and fails with it.
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
  std::vector<Ref<Queue>> queues_;  // under mutex_: the present one last; those before stay, since
                                    // another thread may just have read them
  Ref<Event> passed_;               // under mutex_, as below: signalled for streams that wait for
  const Queue *passed_queue_ = nullptr;  // this one, in this queue of it, so many times
  uint64_t passed_count_ = 0;
};

/// The queue of the stream that a caller gave, or of the device's default stream for NULL.
/// Throws NXS_InvalidStream, or NXS_InvalidDevice for a stream of another device.
Queue &queueOf(nexus_stream *stream, Device &device, const char *for_what);

/// Runs submit, which gives work to the queue's plug-in and returns its ticket. name: what the
/// work is, for the error that tells of it.
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

/// The same for work that was held back, whose caller is gone: its failure says what it was.
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

/// Gives work to a queue: submits it, or holds it back behind what is held back already.
/// submit(Queue &) gives it to the plug-in and returns its ticket; it is copied where it is
/// held back, and so keeps alive what it needs. what: a literal such as "a copy to the host".
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
