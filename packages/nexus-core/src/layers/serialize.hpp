// SPDX-License-Identifier: Apache-2.0
//
// The layer `serialize`: one call at a time, for a plug-in that declared
// NXS_ThreadModel_Serialized.
#pragma once

#include <nexus-api/nxs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <thread>
#include <type_traits>

#include "host/function_list.hpp"

namespace nexus::core::layers {

/// Calls query, which fills out_completion and returns a status, until it fails, the work is done,
/// or timeout nanoseconds have passed: first without pauses, then with pauses up to a millisecond.
/// Returns query's last status.
template <typename Query>
nxs_status pacedWait(uint64_t timeout, const nxs_completion *out_completion,
                     Query &&query) noexcept {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  constexpr int kTurnsWithoutPause = 64;
  constexpr nanoseconds kLongestPause = std::chrono::milliseconds(1);
  // Callers' timeouts are short; a day stands for "forever" and can't overflow.
  constexpr uint64_t kLongestWait = uint64_t{24} * 3600 * 1'000'000'000;

  const auto end =
      Clock::now() + nanoseconds(static_cast<int64_t>(std::min(timeout, kLongestWait)));
  nanoseconds pause = std::chrono::microseconds(1);
  for (int turn = 0;; ++turn) {
    const nxs_status status = query();
    if (status != NXS_Success || out_completion->state != NXS_CompletionState_Running) {
      return status;
    }
    const auto now = Clock::now();
    if (now >= end) return status;
    if (turn < kTurnsWithoutPause) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::min<nanoseconds>(pause, end - now));
      pause = std::min(pause * 2, kLongestPause);
    }
  }
}

struct Serialize {
  /// Holds the plug-in's lock during the call. The two functions that wait become queries with
  /// pauses in between, in which other threads can make calls.
  template <typename Function, typename... Arguments>
  static nxs_status call(uint32_t tag, const nxs_functions &next, Arguments... arguments) noexcept {
    if constexpr (std::is_same_v<Function, functions::WaitStream>) {
      return waitStream(tag, next, arguments...);
    } else if constexpr (std::is_same_v<Function, functions::SynchronizeEvent>) {
      return synchronizeEvent(tag, next, arguments...);
    } else {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return (next.*Function::member)(arguments...);
    }
  }

 private:
  static std::mutex &mutexOf(uint32_t tag) noexcept {
    // Never destroyed: there may be calls while the process exits.
    static auto &mutexes = *new std::array<std::mutex, 1U << NXS_ID_TAG_BITS>;
    return mutexes[tag];
  }

  static nxs_status waitStream(uint32_t tag, const nxs_functions &next, nxs_id stream,
                               nxs_ticket ticket, uint64_t timeout,
                               nxs_completion *out_completion) noexcept {
    return pacedWait(timeout, out_completion, [&] {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return next.QueryStream(stream, ticket, out_completion);
    });
  }

  static nxs_status synchronizeEvent(uint32_t tag, const nxs_functions &next, nxs_id event,
                                     uint64_t timeout, nxs_completion *out_completion) noexcept {
    return pacedWait(timeout, out_completion, [&] {
      const std::lock_guard<std::mutex> lock(mutexOf(tag));
      return next.QueryEvent(event, out_completion);
    });
  }
};

}  // namespace nexus::core::layers
