// SPDX-License-Identifier: Apache-2.0
//
// The trace of a process (NEXUS_LAYERS=trace): what is traced, and the one thread that watches work
// and writes events.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/process_thread.hpp"
#include "trace/object_texts.hpp"
#include "trace/output.hpp"
#include "trace/tracked_stream.hpp"

namespace nexus::core::trace {

struct HostCall {
  std::string_view function;
  Interval when;
  nxs_status status = NXS_Success;
  Details details;
};

/// The state around the call of a function that submits.
struct Submission {
  std::shared_ptr<TrackedStream> stream;  // NULL: not traced
  nxs_id begin = 0;
};

/// Its thread polls the work and writes, instead of running what others enqueue. Never freed. Any
/// thread may use it; its functions throw only std::bad_alloc.
class Session {
 public:
  /// Throws NXS_InvalidValue if the file can't be written, NXS_OutOfResources if the thread can't
  /// be started.
  Session(const std::string &path, uint64_t limit);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  ObjectTexts &objects() noexcept { return objects_; }

  void addCall(const HostCall &call);
  Submission prepare(nxs_id stream) noexcept;
  void addCall(const HostCall &call, const Submission &submission, nxs_ticket ticket,
               WorkTextPtr text);
  /// Drops a submission whose call failed.
  void forget(const Submission &submission) noexcept;

  void addStream(const nxs_functions &functions, nxs_id device, nxs_id stream, int32_t priority);

  /// Returns the traced stream of that id; NULL if there is none.
  std::shared_ptr<TrackedStream> find(nxs_id stream);

  void allocated(const nxs_functions &functions, nxs_id device, int64_t bytes, uint64_t copied);

  /// The user's own events: a range of time and a moment, on this thread.
  void addRange(std::string_view name, Interval when);
  void addMark(std::string_view name);

  /// For the end of the process: marks running work as unfinished and writes all events. The trace
  /// goes on afterwards. Waits for the thread, for a short time.
  void finish() noexcept;
  /// Writes the buffered events; calls no plug-in.
  void writeAll() noexcept { output_.flush(); }

 private:
  // How long the thread may sleep.
  enum class Rest { UntilWoken, Long, Short };

  void run() noexcept;
  Rest watch();
  bool writeEnded();  // returns whether some work had ended
  bool isWaiting();   // returns whether some work has not ended
  void write();
  void sleep(Rest rest) noexcept;
  void wake(bool soon) noexcept;
  std::vector<std::shared_ptr<TrackedStream>> streams();
  TrackedDevice &deviceOf(const nxs_functions &functions, nxs_id device);
  std::vector<TrackedDevice *> devices();
  void add(const EventText &events) noexcept;

  Output output_;
  ObjectTexts objects_;
  std::mutex making_;          // locked while a device is added
  std::timed_mutex watching_;  // locked while watching
  std::mutex mutex_;
  std::condition_variable woken_;
  std::unordered_map<nxs_id, TrackedDevice *> devices_;  // under mutex_, as all below
  std::unordered_map<nxs_id, std::shared_ptr<TrackedStream>> streams_;
  uint64_t works_ = 0;  // number of submissions
  Rest rest_ = Rest::Short;
  std::chrono::microseconds short_rest_{0};  // used by the thread only
  ProcessThread thread_;
};

/// Returns the session of this process; NULL if NEXUS_LAYERS does not name `trace` or its file
/// can't be written. The child of a fork() has its own.
Session *session() noexcept;
/// Like session(), but does not begin one.
Session *madeSession() noexcept;

}  // namespace nexus::core::trace
