// SPDX-License-Identifier: Apache-2.0
//
// A device of a traced process, shown as a process with counters, and the times of its work,
// measured by events of the plug-in with timing, in nanoseconds of the trace.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "trace/output.hpp"

namespace nexus::core::trace {

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

/// Made at first use, never freed. Any thread may use it.
class TrackedDevice {
 public:
  /// number: index among the traced devices. Calls the plug-in.
  TrackedDevice(const nxs_functions &functions, nxs_id id, const std::string &selector,
                int64_t number, Output &output);

  const nxs_functions &functions() const noexcept { return functions_; }
  nxs_id id() const noexcept { return id_; }
  DeviceClock &clock() noexcept { return clock_; }
  int64_t process() const noexcept { return process_; }
  /// Returns the number of the next stream, from 1.
  int64_t nextStream();

  /// Counts allocated memory; negative bytes are freed memory.
  void allocated(int64_t bytes);
  /// Notes a change of the number of submissions in flight, and bytes that were copied.
  void note(int64_t time, int in_flight, uint64_t copied);

  /// Writes the counters up to the time `until`, in order. No later call may add an earlier change.
  void writeCounters(int64_t until);

 private:
  struct Change {
    int64_t time;
    int in_flight;
    uint64_t copied;  // bytes
  };

  const nxs_functions &functions_;
  const nxs_id id_;
  const int64_t process_;
  Output &output_;
  DeviceClock clock_;
  std::mutex mutex_;
  std::vector<Change> changes_;  // under mutex_, as all below
  int64_t streams_ = 0;
  int64_t in_flight_ = 0;
  int64_t copied_ = 0;
  int64_t allocated_ = 0;
  int64_t newest_ = 0;  // time of the newest counter written
};

}  // namespace nexus::core::trace
