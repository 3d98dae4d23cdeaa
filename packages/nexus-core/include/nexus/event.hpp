// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_EVENT_HPP_
#define NEXUS_EVENT_HPP_

#include <nexus/object.hpp>

#include <cstdint>
#include <string>

namespace nexus {

class Device;

/// A 64-bit counter that only grows: work and the host raise it, and wait until it reaches a value.
/// Made by Device::createEvent.
class Event : public Object {
 public:
  Event() noexcept = default;
  /// Takes over the caller's reference.
  explicit Event(nexus_event *object) noexcept : Object(object) {}

  /// Defined in <nexus/device.hpp>.
  Device getDevice() const;

  nxs_event_type getType() const {
    return detail::result<nxs_event_type>(nexus_event_get_event_type, get());
  }

  /// Returns the present value.
  std::uint64_t getValue() const {
    return detail::result<std::uint64_t>(nexus_event_get_value, get());
  }

  /// Returns whether there was a signal and all signals submitted so far have happened.
  bool isDone() const { return detail::result<std::int32_t>(nexus_event_is_done, get()) != 0; }

  /// Returns the nanoseconds from start's newest signal to this event's, both made with timing and
  /// signalled in streams of one device. Throws Error: NXS_ProfilingInfoNotAvailable (no timing),
  /// NXS_InvalidOperation (never signalled in a stream, or not yet happened).
  double getElapsedTime(const Event &start) const {
    return detail::result<double>(nexus_event_get_elapsed_time, start.get(), get());
  }

  /// Sets the value from the host. Throws NXS_InvalidValue if it is below the event's.
  void signal(std::uint64_t value = 1) const { detail::check(nexus_event_signal(get(), value)); }

  /// Waits on the host until the event reaches value. Throws Error: NXS_Timeout, NXS_Cancelled, or
  /// the cause of the failure of the work that was to signal it.
  void wait(std::uint64_t value = 1, Timeout timeout = forever) const {
    detail::check(nexus_event_wait(get(), value, detail::toNanoseconds(timeout)));
  }

  /// Returns the handle with which other processes of this machine import the event while it
  /// exists. Throws NXS_InvalidOperation unless Device::createShareableEvent made it.
  std::string exportEvent() const { return detail::written(nexus_event_export, get()); }

  /// Closes the event; work that waits for it fails with NXS_Cancelled.
  void close() const { closeObject(); }
};

}  // namespace nexus

#endif  // NEXUS_EVENT_HPP_
