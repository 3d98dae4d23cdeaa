// SPDX-License-Identifier: Apache-2.0
//
// A device of a traced process, shown as a process with counters.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "trace/device_clock.hpp"
#include "trace/output.hpp"

namespace nexus::core::trace {

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
  void copied(int64_t time, uint64_t bytes);
  void submitted(int64_t time);
  /// Counts work that ended, and the bytes that it copied.
  void ended(int64_t time, uint64_t copied);
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
