// SPDX-License-Identifier: Apache-2.0
//
// A device of a traced process: a process of its own in the trace, with counters.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "trace/device_clock.hpp"
#include "trace/output.hpp"

namespace nexus::core::trace {

/// Made at first use, never freed. Any thread.
class TrackedDevice {
 public:
  /// number: of the traced devices, from 0. Calls the plug-in.
  TrackedDevice(const nxs_functions &functions, nxs_id id, const std::string &selector,
                int64_t number, Output &output);

  const nxs_functions &functions() const noexcept { return functions_; }
  nxs_id id() const noexcept { return id_; }
  DeviceClock &clock() noexcept { return clock_; }
  int64_t process() const noexcept { return process_; }
  /// The number of the next stream, from 1.
  int64_t nextStream();

  /// Memory was taken, or given back where bytes is negative.
  void allocated(int64_t bytes);
  void copied(int64_t time, uint64_t bytes);
  void submitted(int64_t time);
  /// Work ended that copied so many bytes.
  void ended(int64_t time, uint64_t copied);
  /// Writes what is known of the time before `until`, in its order. Nothing that ended earlier is
  /// told later.
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
  int64_t newest_ = 0;  // the time of the newest count that was written
};

}  // namespace nexus::core::trace
