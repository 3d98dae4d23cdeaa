// SPDX-License-Identifier: Apache-2.0
#include "trace/tracked_device.hpp"

#include <algorithm>
#include <array>

#include "trace/host_names.hpp"

namespace nexus::core::trace {
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

void TrackedDevice::copied(int64_t time, uint64_t bytes) {
  const Lock lock(mutex_);
  changes_.push_back({time, 0, bytes});
}

void TrackedDevice::submitted(int64_t time) {
  const Lock lock(mutex_);
  changes_.push_back({time, 1, 0});
}

void TrackedDevice::ended(int64_t time, uint64_t copied) {
  const Lock lock(mutex_);
  changes_.push_back({time, -1, copied});
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
