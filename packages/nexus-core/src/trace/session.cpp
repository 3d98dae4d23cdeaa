// SPDX-License-Identifier: Apache-2.0
#include "trace/session.hpp"

#include <nexus/nexus_c.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "host/host.hpp"
#include "layers/layer.hpp"

namespace nexus::core::trace {

namespace {

using Lock = std::lock_guard<std::mutex>;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr auto kShortestRest = microseconds(100);  // while the host times work; doubles
constexpr auto kLongestShortRest = microseconds(1000);
constexpr auto kLongRest = milliseconds(50);  // while there are events to write
constexpr uint64_t kBatch = 1024;             // submissions after which ended work is looked for
constexpr auto kLongestFinish = milliseconds(2000);
constexpr auto kLongestTail = milliseconds(500);  // wait for the events behind work that is done

// An unsupported function or property is not a mistake of the program.
bool isMistake(const HostCall &call) {
  return call.status != NXS_Success && call.status != NXS_NotSupported &&
         call.status != NXS_InvalidProperty;
}

void writeCall(EventText &text, Track track, const HostCall &call) {
  text.slice(track, "call", call.function, call.when, call.details);
  if (isMistake(call)) {
    const std::string status = statusName(call.status);
    text.instant(track, "error", status, call.when.end,
                 Details().add("status", status).add("function", call.function).add(call.details));
  }
}

}  // namespace

Session::Session(const std::string &path, uint64_t limit) : output_(path, limit) {
  thread_.start("The process is not traced: the thread that writes the trace", [this] { run(); });
}

// ---- Calls ------------------------------------------------------------------------

void Session::add(const EventText &events) noexcept {
  if (output_.add(events)) wake(false);
}

void Session::wake(bool soon) noexcept {
  const Lock lock(mutex_);
  if (rest_ == Rest::UntilWoken || (soon && rest_ == Rest::Long)) {
    rest_ = Rest::Short;
    woken_.notify_one();
  }
}

void Session::addCall(const HostCall &call) {
  EventText text;
  writeCall(text, output_.thisThread(), call);
  add(text);
}

Submission Session::prepare(nxs_id stream) noexcept {
  Submission submission{find(stream), 0};
  if (submission.stream) submission.begin = submission.stream->signalBefore();
  return submission;
}

void Session::forget(const Submission &submission) noexcept {
  if (submission.stream) submission.stream->forget(submission.begin);
}

void Session::addCall(const HostCall &call, const Submission &submission, nxs_ticket ticket,
                      WorkTextPtr text) {
  if (!submission.stream) return addCall(call);
  TrackedStream &stream = *submission.stream;
  Work work;
  work.ticket = ticket;
  work.submitted = call.when.begin;
  work.text = std::move(text);
  {
    const Lock lock(mutex_);
    work.number = ++works_;
  }
  EventText events;
  const Track track = output_.thisThread();
  writeCall(events, track, call);
  events.flowBegin(track, work.number, call.when.begin);
  stream.writeSubmission(events, work);
  add(events);
  const bool soon = submission.begin == 0 || work.number % kBatch == 0 || output_.full();
  if (!stream.add(std::move(work), submission.begin)) output_.lose();
  wake(soon);
}

void Session::addRange(std::string_view name, Interval when) {
  EventText text;
  text.slice(output_.thisThread(), "range", name, when, {});
  add(text);
}

void Session::addMark(std::string_view name) {
  EventText text;
  text.instant(output_.thisThread(), "mark", name, now(), {});
  add(text);
}

// ---- Objects ----------------------------------------------------------------------

TrackedDevice &Session::deviceOf(const nxs_functions &functions, nxs_id device) {
  const Lock making(making_);
  int64_t number = 0;
  {
    const Lock lock(mutex_);
    const auto found = devices_.find(device);
    if (found != devices_.end()) return *found->second;
    number = static_cast<int64_t>(devices_.size());
  }
  const std::string selector = std::string(backendOfTag(NXS_ID_TAG(device))) + ":" +
                               std::to_string(objects_.deviceNumber(device));
  auto made = std::make_unique<TrackedDevice>(functions, device, selector, number, output_);
  const Lock lock(mutex_);
  return *(devices_[device] = made.release());
}

void Session::addStream(const nxs_functions &functions, nxs_id device, nxs_id stream,
                        int32_t priority) {
  auto tracked =
      std::make_shared<TrackedStream>(deviceOf(functions, device), stream, priority, output_);
  const Lock lock(mutex_);
  streams_[stream] = std::move(tracked);
}

std::shared_ptr<TrackedStream> Session::find(nxs_id stream) {
  const Lock lock(mutex_);
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

void Session::allocated(const nxs_functions &functions, nxs_id device, int64_t bytes,
                        uint64_t copied) {
  TrackedDevice &tracked = deviceOf(functions, device);
  tracked.allocated(bytes);
  if (copied != 0) tracked.note(now(), 0, copied);
}

// ---- The thread -------------------------------------------------------------------

std::vector<std::shared_ptr<TrackedStream>> Session::streams() {
  const Lock lock(mutex_);
  std::vector<std::shared_ptr<TrackedStream>> list;
  list.reserve(streams_.size());
  for (const auto &[id, stream] : streams_) list.push_back(stream);
  return list;
}

std::vector<TrackedDevice *> Session::devices() {
  const Lock lock(mutex_);
  std::vector<TrackedDevice *> list;
  for (const auto &[id, device] : devices_) list.push_back(device);
  return list;
}

bool Session::writeEnded() {
  const int64_t begin = now();
  bool ended = false;
  for (const auto &stream : streams()) {
    while (stream->writeNextEnded()) ended = true;
    if (stream->isFinished()) {
      const Lock lock(mutex_);
      std::erase_if(streams_, [&](const auto &entry) { return entry.second == stream; });
    }
  }
  for (TrackedDevice *device : devices()) device->writeCounters(begin);
  return ended;
}

bool Session::isWaiting() {
  bool observed = false;
  const auto all = streams();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto &stream) { return stream->isWaiting(observed); });
}

Session::Rest Session::watch() {
  bool ended = false;
  {
    const std::lock_guard<std::timed_mutex> watching(watching_);
    ended = writeEnded();
  }
  short_rest_ = ended ? kShortestRest : std::min(short_rest_ * 2, kLongestShortRest);
  bool waiting = false;
  for (const auto &stream : streams()) {
    bool observed = false;
    waiting = stream->isWaiting(observed) || waiting;
    if (observed) return Rest::Short;
  }
  return waiting || !output_.empty() ? Rest::Long : Rest::UntilWoken;
}

void Session::write() {
  output_.flush();
  for (TrackedDevice *device : devices()) device->clock().renew();
}

void Session::run() noexcept {
  auto written = std::chrono::steady_clock::now();
  while (true) {
    Rest rest = Rest::Long;
    try {
      rest = watch();
      const auto present = std::chrono::steady_clock::now();
      if (output_.full() || present - written >= kLongRest) {
        write();
        written = present;
      }
    } catch (const std::bad_alloc &) {
      rest = Rest::Long;  // there may be memory later
    }
    sleep(rest);
  }
}

void Session::sleep(Rest rest) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  rest_ = rest;
  const auto woken = [this] { return rest_ == Rest::Short; };
  switch (rest) {
    case Rest::UntilWoken:
      return woken_.wait(lock, woken);
    case Rest::Long:
      woken_.wait_for(lock, kLongRest, woken);
      break;
    case Rest::Short:
      woken_.wait_for(lock, short_rest_);
      break;
  }
  rest_ = Rest::Short;
}

void Session::finish() noexcept {
  try {
    const std::unique_lock<std::timed_mutex> watching(watching_, kLongestFinish);
    if (watching.owns_lock()) {
      const auto end = std::chrono::steady_clock::now() + kLongestTail;
      while (writeEnded(), isWaiting() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kShortestRest);
      }
      for (const auto &stream : streams()) stream->abandon();
      for (TrackedDevice *device : devices()) device->writeCounters(INT64_MAX);
    }
  } catch (const std::bad_alloc &) {
    output_.lose();
  }
  output_.flush();
}

namespace {

constexpr std::string_view kUsualFile = "nexus-trace.json";
constexpr uint64_t kUsualLimit = 4096, kMostLimit = uint64_t{1} << 30;  // MiB

std::string wantedFile() {
  const std::string_view path = environmentValue("NEXUS_TRACE_FILE");
  return std::string(path.empty() ? kUsualFile : path);
}

// Returns bytes; the environment has MiB.
uint64_t wantedLimit() {
  const std::string text(environmentValue("NEXUS_TRACE_LIMIT"));
  if (text.empty()) return kUsualLimit << 20;
  const uint64_t mebibytes = wholeNumber(text).value_or(0);
  if (mebibytes == 0 || mebibytes > kMostLimit) {
    failWith(NXS_InvalidValue, "NEXUS_TRACE_LIMIT is '", text, "'; give MiB from 1 to ", kMostLimit,
             ". The process is not traced.");
  }
  return mebibytes << 20;
}

// Writes the events of a program that does not call nexus_shutdown. Asks for no work, since drivers
// may have been unloaded.
void writeAtExit() {
  if (Session *made = madeSession()) made->writeAll();
}

class SessionOfProcess {
 public:
  Session *get() noexcept {
    std::call_once(once_, [this] { session_.store(make(), std::memory_order_release); });
    return made();
  }
  Session *made() const noexcept { return session_.load(std::memory_order_acquire); }

 private:
  static Session *make() noexcept {
    try {
      if (!layers::isWanted("trace")) return nullptr;
      now();  // times start here
      auto *made = new Session(wantedFile(), wantedLimit());
      static const int registered = std::atexit(writeAtExit);
      static_cast<void>(registered);
      return made;
    } catch (const Failure &failure) {
      logLine(NXS_LogLevel_Warning, {}, failure.text());
    } catch (const std::bad_alloc &) {
      logLine(NXS_LogLevel_Warning, {}, "There was no memory for a trace.");
    }
    return nullptr;
  }

  std::once_flag once_;
  std::atomic<Session *> session_{nullptr};
};

}  // namespace

Session *session() noexcept {
  return ofProcess<SessionOfProcess>().get();
}

Session *madeSession() noexcept {
  return ofProcess<SessionOfProcess>().made();
}

}  // namespace nexus::core::trace

using namespace nexus::core;

int32_t nexus_trace_is_on(void) {
  return trace::session() != nullptr ? 1 : 0;
}

int64_t nexus_trace_time(void) {
  return trace::now();
}

nxs_status nexus_trace_range(nxs_string name, int64_t begin) {
  return guarded([&] {
    const std::string_view text = viewOf(name, "name");
    const int64_t end = trace::now();
    if (trace::Session *session = trace::session()) {
      session->addRange(text, {std::clamp<int64_t>(begin, 0, end), end});
    }
  });
}

nxs_status nexus_trace_mark(nxs_string name) {
  return guarded([&] {
    const std::string_view text = viewOf(name, "name");
    if (trace::Session *session = trace::session()) session->addMark(text);
  });
}
