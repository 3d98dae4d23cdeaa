// SPDX-License-Identifier: Apache-2.0
//
// Times of a device's work, measured by events of the plug-in with timing, in nanoseconds of the
// trace.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nexus::core::trace {

/// Returns the nanoseconds since this process' trace began.
int64_t now() noexcept;

/// An event of the device whose time on the host's clock is known, within an error. The destructor
/// releases the event, so it must run without locks.
class TimeBase {
 public:
  TimeBase(const nxs_functions &functions, nxs_id event, int64_t time, int64_t error)
      : functions_(functions), event_(event), time_(time), error_(error) {}
  ~TimeBase() { functions_.ReleaseEvent(event_); }
  TimeBase(const TimeBase &) = delete;
  TimeBase &operator=(const TimeBase &) = delete;

  /// Returns the time of an event with timing that has happened; nothing if the plug-in can't tell.
  std::optional<int64_t> timeOf(nxs_id event) const noexcept;
  /// The possible error of its times, in nanoseconds.
  int64_t error() const noexcept { return error_; }
  int64_t time() const noexcept { return time_; }
  nxs_id event() const noexcept { return event_; }

 private:
  const nxs_functions &functions_;
  const nxs_id event_;
  const int64_t time_;
  const int64_t error_;
};

/// The clock of a device. Any thread may use it; it calls no plug-in under its lock.
class DeviceClock {
 public:
  /// Checks whether the plug-in has times that agree with the host's.
  DeviceClock(const nxs_functions &functions, nxs_id device);

  /// Returns the newest base; NULL if the plug-in has no usable times.
  std::shared_ptr<const TimeBase> base() const;
  /// Measures a new base if the present one is old. Call it on one thread only.
  void renew() noexcept;

  /// Returns an event with timing, to be returned with give(); 0 if too many are in use.
  nxs_id take() noexcept;
  void give(nxs_id event) noexcept;

 private:
  std::shared_ptr<const TimeBase> measure() noexcept;
  nxs_id makeEvent() const noexcept;

  const nxs_functions &functions_;
  const nxs_id device_;
  nxs_id stream_ = 0;  // for measuring the bases
  mutable std::mutex mutex_;
  std::shared_ptr<const TimeBase> base_;  // under mutex_, as all below
  std::vector<nxs_id> free_;
  std::size_t made_ = 0;
};

}  // namespace nexus::core::trace
