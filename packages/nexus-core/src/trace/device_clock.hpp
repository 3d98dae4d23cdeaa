// SPDX-License-Identifier: Apache-2.0
//
// When work of a device began and ended, by events of the plug-in that take times, as nanoseconds
// of the trace.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace nexus::core::trace {

/// Nanoseconds since the trace of this process began.
int64_t now() noexcept;

/// An event of the device whose time the host knows, within an error. Its end releases the event:
/// hold no lock then.
class TimeBase {
 public:
  TimeBase(const nxs_functions &functions, nxs_id event, int64_t time, int64_t error)
      : functions_(functions), event_(event), time_(time), error_(error) {}
  ~TimeBase() { functions_.ReleaseEvent(event_); }
  TimeBase(const TimeBase &) = delete;
  TimeBase &operator=(const TimeBase &) = delete;

  /// When an event with timing happened, which it has; nothing where the plug-in can't tell.
  std::optional<int64_t> timeOf(nxs_id event) const noexcept;
  /// By how much its times may be wrong, in nanoseconds.
  int64_t error() const noexcept { return error_; }
  int64_t time() const noexcept { return time_; }
  nxs_id event() const noexcept { return event_; }

 private:
  const nxs_functions &functions_;
  const nxs_id event_;
  const int64_t time_;
  const int64_t error_;
};

/// The clock of a device. Any thread; no call of the plug-in is made under its lock.
class DeviceClock {
 public:
  /// Finds out whether the plug-in takes times that agree with the host's, which calls it.
  DeviceClock(const nxs_functions &functions, nxs_id device);

  /// The newest base; NULL where the plug-in takes no times.
  std::shared_ptr<const TimeBase> base() const;
  /// Takes a new base where the present one is old. On one thread.
  void renew() noexcept;

  /// An event with timing; 0 where too many are in use. give() makes it free again.
  nxs_id take() noexcept;
  void give(nxs_id event) noexcept;

 private:
  std::shared_ptr<const TimeBase> measure() noexcept;
  nxs_id makeEvent() const noexcept;

  const nxs_functions &functions_;
  const nxs_id device_;
  nxs_id stream_ = 0;  // of its own, for the bases
  mutable std::mutex mutex_;
  std::shared_ptr<const TimeBase> base_;  // under mutex_, as all below
  std::vector<nxs_id> free_;
  std::size_t made_ = 0;
};

}  // namespace nexus::core::trace
