// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_STREAM_HPP_
#define NEXUS_STREAM_HPP_

#include <nexus/event.hpp>
#include <nexus/object.hpp>
#include <nexus/timeout.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace nexus {

class Buffer;
class Device;

/// An ordered queue of work of a device. Work in one stream runs in order;
/// across streams it does not, unless events order it. An empty Stream stands
/// for the device's default stream where a function takes one.
/// Made by Device::createStream and Device::getDefaultStream.
class Stream : public Object {
 public:
  Stream() noexcept = default;
  /// Takes over the caller's reference.
  explicit Stream(nexus_stream *object) noexcept : Object(object) {}

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  /// Waits for all work submitted so far. Throws Error: NXS_Timeout, NXS_Cancelled, or the
  /// cause of the stream's failure.
  void synchronize(Timeout timeout = forever) const {
    detail::check(nexus_stream_synchronize(get(), detail::toNanoseconds(timeout)));
  }

  /// Returns whether all work submitted so far is done.
  bool isIdle() const {
    std::int32_t idle = 0;
    detail::check(nexus_stream_is_idle(get(), &idle));
    return idle != 0;
  }

  /// Sets the event to value once the stream's earlier work is done. Returns at once.
  void signal(const Event &event, std::uint64_t value = 1) const {
    detail::check(nexus_stream_signal(get(), event.get(), value));
  }

  /// Holds the stream's later work until the event reaches value. Returns at once.
  void wait(const Event &event, std::uint64_t value = 1) const {
    detail::check(nexus_stream_wait(get(), event.get(), value));
  }

  /// Holds the stream's later work until all work submitted to other so far is done.
  void wait(const Stream &other) const {
    detail::check(nexus_stream_wait_stream(get(), other.get()));
  }

  /// Holds the stream's later work, and what another library gives to the driver's stream from the
  /// return on, until all submitted work that uses the buffer is done. Waits for what the driver
  /// can't order yet, such as work that is held back for an event. Defined in <nexus/device.hpp>.
  void wait(const Buffer &buffer) const;

  /// A new Signal event that is signalled after the stream's earlier work; timed where the
  /// backend can.
  Event record() const {
    nexus_event *event = nullptr;
    detail::check(nexus_stream_record(get(), &event));
    return Event(event);
  }

  /// Calls function(status) once the stream's earlier work is done or, with its status, has
  /// failed, on libnexus' thread for callbacks. What it throws ends the process.
  template <class Function>
    requires std::is_invocable_v<Function &, nxs_status>
  void addCallback(Function function) const {
    auto held = std::make_unique<Function>(std::move(function));
    detail::check(nexus_stream_add_callback(
        get(),
        [](void *context, nxs_status status) noexcept {
          const std::unique_ptr<Function> owned(static_cast<Function *>(context));
          (*owned)(status);
        },
        held.get()));
    static_cast<void>(held.release());  // the call's
  }

  /// Ends the stream; its work finishes. NXS_InvalidOperation for a default stream.
  void close() const { closeObject(); }
};

}  // namespace nexus

#endif  // NEXUS_STREAM_HPP_
