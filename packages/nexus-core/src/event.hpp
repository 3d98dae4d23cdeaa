// SPDX-License-Identifier: Apache-2.0
//
// An event: a timeline of 64-bit values, built from a plug-in's binary events.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device.hpp"
#include "object.hpp"
#include "queue.hpp"

namespace nexus::core {

/// Shared: a counter that only grows. Signal and Fence: one shot, with the values 0 and 1;
/// a signal that is submitted sets it back to 0 until it happens.
///
/// Each signal that was submitted and is not known complete is a point: the value, where it
/// happens, and a binary event of the plug-in that other streams can wait for. The binary
/// events are used again, so steady signalling allocates nothing.
class Event final : public ListedObject {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_Event;

  Event(Device &device, nxs_event_type type);
  ~Event() override;

  Device &device() const noexcept { return device_; }
  nxs_event_type eventType() const noexcept { return type_; }
  bool oneShot() const noexcept { return type_ != NXS_EventType_Shared; }

  // ---- On the host ----
  /// Throws NXS_InvalidValue where value is below the event's.
  void signal(uint64_t value);
  /// Throws NXS_Timeout, NXS_Cancelled, or why the signal failed.
  void wait(uint64_t value, uint64_t timeout);
  uint64_t value();

  // ---- In a queue ----
  /// Throws NXS_InvalidValue where a signal of value could not be submitted now, since the
  /// event is beyond it or has no such value.
  void checkSignal(uint64_t value);
  /// Throws NXS_InvalidValue where the event has no such value.
  void checkWait(uint64_t value) const;
  /// Submits a signal after the queue's work; its ticket, or 0 where the event is at value
  /// already.
  nxs_ticket submitSignal(Queue &queue, uint64_t value, Wakes &wakes);
  /// A signal will be submitted when the queue that holds it back goes on: sets a one-shot
  /// event back now.
  void expectSignal();
  /// A signal that was held back will never be submitted.
  void failSignal(uint64_t value, const Failure &cause);
  /// Submits what lets the queue go on when the event reaches value: the ticket, or 0 where
  /// nothing is needed. Nothing where value's signal was not submitted; the event then wakes
  /// the queue when it is, if asked to.
  std::optional<nxs_ticket> submitWait(Queue &queue, uint64_t value, bool wake);

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  struct Binary {
    Device *device = nullptr;
    nxs_id id = 0;
  };
  struct Point {
    uint64_t value;
    Ref<Queue> queue;  // none: never submitted, failure says why
    nxs_ticket ticket;
    Binary binary;
    std::shared_ptr<const Failure> failure;
    bool watched;  // someone of another backend will be woken when it is done
  };
  struct Waiter {
    Ref<Queue> queue;
    uint64_t value;
  };

  bool closable() const noexcept override { return true; }
  void onClose() override;

  // All under mutex_.
  void refresh();
  void setBack();
  void reach(uint64_t value);
  Point *find(uint64_t value);
  Binary takeBinary(Device &device);
  void dropPoint(std::size_t index);
  void addWaiter(Queue &queue, uint64_t value);
  void removeWaiter(const Queue &queue, uint64_t value);
  void takeWaiters(uint64_t value, Wakes &wakes);
  void watch(Point &point);

  Device &device_;
  const nxs_event_type type_;
  const int64_t number_;  // NP_ID: timelines have no id of a plug-in
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t value_ = 0;
  std::vector<Point> points_;  // in the order of their submission
  std::vector<Binary> free_;
  std::vector<Waiter> waiters_;  // queues that hold back work until a value's signal is submitted
};

/// Gives a queue a signal or a wait: submits it, or holds it back behind what is held back
/// already or until its own signal is submitted. Returns where it stands in the queue.
Position enqueueSignal(Queue &queue, Event &event, uint64_t value, Wakes &wakes);
Position enqueueWait(Queue &queue, Event &event, uint64_t value, Wakes &wakes);

}  // namespace nexus::core
