// SPDX-License-Identifier: Apache-2.0
#include "registry/time_limit.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/process.hpp"

namespace nexus::core {
namespace {

constexpr double kUsualSeconds = 5;
constexpr double kMostSeconds = 24 * 3600;

double secondsOfEnvironment() {
  const char *value = std::getenv("NEXUS_PLUGIN_TIMEOUT");
  if (value == nullptr || *value == '\0') {
    return kUsualSeconds;
  }
  char *end = nullptr;
  const double seconds = std::strtod(value, &end);
  if (end != value + std::strlen(value) || !(seconds > 0)) {
    logLine(NXS_LogLevel_Warning, {},
            std::string("NEXUS_PLUGIN_TIMEOUT is '") + value +
                "', which is no number of seconds above 0; it counts as 5.");
    return kUsualSeconds;
  }
  return std::min(seconds, kMostSeconds);
}

double startSeconds() {
  static const double seconds = secondsOfEnvironment();
  return seconds;
}

// Shared by the caller and the thread; the last one frees it.
struct Shared {
  std::mutex mutex;
  std::condition_variable done;
  TimedCall result;
  std::vector<LogLine> lines;
};

TimedCall call(const std::function<nxs_status()> &body) {
  TimedCall result;
  forgetThreadErrorRecord();
  try {
    result.status = body();
  } catch (...) {
    // An exception of another C++ runtime may not even be caught here.
    result.threw = true;
  }
  if (result.status != NXS_Success) {
    result.record = findErrorRecord(threadErrorRecord());
  }
  result.returned = true;
  return result;
}

void runOnThread(const std::shared_ptr<Shared> &shared, const std::function<nxs_status()> &body) {
  TimedCall result;
  std::vector<LogLine> lines;
  {
    LogHold hold;
    loadsPlugin() = true;
    result = call(body);
    lines = hold.take();
  }
  const std::lock_guard<std::mutex> lock(shared->mutex);
  shared->result = std::move(result);
  shared->lines = std::move(lines);
  shared->done.notify_all();
}

}  // namespace

std::chrono::nanoseconds startLimit() {
  return std::chrono::nanoseconds(static_cast<int64_t>(startSeconds() * 1e9));
}

std::string startLimitText() {
  std::array<char, 32> digits{};
  const auto end =
      std::snprintf(digits.data(), digits.size(), "%g s", startSeconds());  // 5 s, 0.5 s
  return {digits.data(), static_cast<std::size_t>(end)};
}

TimedCall callWithin(std::chrono::nanoseconds limit, std::function<nxs_status()> body) {
  // Start no thread in the child of a fork(): the parent's threads left their state there
  // unfinished.
  if (processGeneration() != 1) {
    return call(body);
  }
  const auto shared = std::make_shared<Shared>();
  std::thread([shared, body = std::move(body)] { runOnThread(shared, body); }).detach();
  TimedCall result;
  std::vector<LogLine> lines;
  {
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->done.wait_for(lock, limit, [&] { return shared->result.returned; });
    result = shared->result;
    lines.swap(shared->lines);
  }
  for (const LogLine &line : lines) {
    logLine(line.level, line.backend, line.text);
  }
  return result;
}

bool &loadsPlugin() noexcept {
  static thread_local bool loads = false;
  return loads;
}

}  // namespace nexus::core
