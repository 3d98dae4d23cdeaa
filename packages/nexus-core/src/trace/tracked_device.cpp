// SPDX-License-Identifier: Apache-2.0
#include "trace/tracked_device.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

namespace nexus::core::trace {

namespace {

constexpr int kTries = 5;                           // measurements; the fastest one is the base
constexpr int64_t kRenewal = 1'000'000'000;         // nanoseconds
constexpr uint64_t kLongestSignal = 1'000'000'000;  // nanoseconds
constexpr int64_t kDisagreement = 1'000'000;        // nanoseconds beyond the host's own error
constexpr std::size_t kMostEvents = 8192;           // further work is timed by the host

}  // namespace

std::optional<int64_t> TimeBase::timeOf(nxs_id event) const noexcept {
  double nanoseconds = 0;
  if (functions_.GetElapsedTime(event_, event, &nanoseconds) != NXS_Success ||
      !(std::abs(nanoseconds) < 1e18)) {
    return std::nullopt;
  }
  return time_ + static_cast<int64_t>(nanoseconds);
}

DeviceClock::DeviceClock(const nxs_functions &functions, nxs_id device)
    : functions_(functions), device_(device) {
  const nxs_id event = makeEvent();
  if (event == 0) return;
  functions_.ReleaseEvent(event);
  if (functions_.CreateStream(device, 0, &stream_) != NXS_Success) return;
  const auto first = measure();
  const auto second = first ? measure() : nullptr;
  if (!second) {
    functions_.ReleaseStream(stream_);
    return;
  }
  const std::optional<int64_t> measured = first->timeOf(second->event());
  const int64_t allowed = first->error() + second->error() + kDisagreement;
  if (measured && std::abs(*measured - second->time()) <= allowed) base_ = second;
}

std::shared_ptr<const TimeBase> DeviceClock::base() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return base_;
}

void DeviceClock::renew() noexcept {
  const auto present = base();
  if (!present || now() - present->time() < kRenewal) return;
  auto fresh = measure();
  if (fresh) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(base_, fresh);
  }
}

nxs_id DeviceClock::makeEvent() const noexcept {
  nxs_id event = 0;
  return functions_.CreateEvent(device_, NXS_ExecutionSettings_Timing, &event) == NXS_Success
             ? event
             : 0;
}

nxs_id DeviceClock::take() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      const nxs_id event = free_.back();
      free_.pop_back();
      return event;
    }
    if (made_ >= kMostEvents) return 0;
    ++made_;
  }
  const nxs_id event = makeEvent();
  if (event == 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --made_;
  }
  return event;
}

void DeviceClock::give(nxs_id event) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(event);
  } catch (const std::bad_alloc &) {
    functions_.ReleaseEvent(event);
  }
}

// Measures the time of a signal in an idle stream, which lies between its submission and the return
// of the wait for it.
std::shared_ptr<const TimeBase> DeviceClock::measure() noexcept {
  try {
    std::shared_ptr<const TimeBase> best;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const nxs_id event = makeEvent();
      if (event == 0) return nullptr;
      nxs_ticket ticket = 0;
      nxs_completion completion{};
      completion.struct_size = sizeof(completion);
      const int64_t before = now();
      const bool happened =
          functions_.SignalEvent(event, stream_, &ticket) == NXS_Success &&
          functions_.SynchronizeEvent(event, kLongestSignal, &completion) == NXS_Success &&
          completion.state == NXS_CompletionState_Completed;
      const int64_t error = (now() - before) / 2;
      const auto base = std::make_shared<const TimeBase>(functions_, event, before + error, error);
      if (!happened) return nullptr;
      if (!best || error < best->error()) best = base;
    }
    return best;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

namespace {

using Lock = std::lock_guard<std::mutex>;

// Returns the number of a process that does not exist, since the format knows no devices.
int64_t processOf(int64_t number) {
  constexpr int64_t kDevices = 100;  // large enough to be unique, almost certainly
  return processNumber() * kDevices + 1 + number % (kDevices - 1);
}

std::string nameOf(const nxs_functions &functions, nxs_id device) {
  std::array<char, 256> text{};
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = text.data();
  value.capacity = text.size();
  const bool known = functions.GetDeviceProperty(device, NP_Name, &value) == NXS_Success &&
                     value.type == NXS_ValueType_Str && value.size <= text.size();
  return known ? std::string(text.data(), value.size) : std::string();
}

std::string clockText(const DeviceClock &clock) {
  const auto base = clock.base();
  if (!base) return "times as the host observes them";
  return "times of the device, placed within " + std::to_string(base->error() / 1000 + 1) + " us";
}

}  // namespace

TrackedDevice::TrackedDevice(const nxs_functions &functions, nxs_id id, const std::string &selector,
                             int64_t number, Output &output)
    : functions_(functions),
      id_(id),
      process_(processOf(number)),
      output_(output),
      clock_(functions, id) {
  EventText text;
  text.processName(process_, selector + " " + nameOf(functions, id));
  text.processLabel(process_, clockText(clock_));
  text.processOrder(process_, number + 1);
  output.add(text);
}

int64_t TrackedDevice::nextStream() {
  const Lock lock(mutex_);
  return ++streams_;
}

void TrackedDevice::allocated(int64_t bytes) {
  const Lock lock(mutex_);
  allocated_ += bytes;
  EventText text;
  text.counter(process_, "memory allocated (bytes)", now(), allocated_);
  output_.add(text);
}

void TrackedDevice::note(int64_t time, int in_flight, uint64_t copied) {
  const Lock lock(mutex_);
  changes_.push_back({time, in_flight, copied});
}

void TrackedDevice::writeCounters(int64_t until) {
  const Lock lock(mutex_);
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change &one, const Change &other) { return one.time < other.time; });
  EventText text;
  auto change = changes_.begin();
  for (; change != changes_.end() && change->time < until; ++change) {
    newest_ = std::max(newest_, change->time);
    if (change->in_flight != 0) {
      in_flight_ += change->in_flight;
      text.counter(process_, "work in flight", newest_, in_flight_);
    }
    if (change->copied != 0) {
      copied_ += static_cast<int64_t>(change->copied);
      text.counter(process_, "copied (bytes)", newest_, copied_);
    }
  }
  changes_.erase(changes_.begin(), change);
  output_.add(text);
}

}  // namespace nexus::core::trace
