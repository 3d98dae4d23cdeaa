// SPDX-License-Identifier: Apache-2.0
//
// Waiting by polling, with growing pauses.
#pragma once

#include <nexus-api/nxs.h>

#include <algorithm>
#include <chrono>
#include <thread>

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
    if (now >= end) {
      return status;
    }
    if (turn < kTurnsWithoutPause) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::min<nanoseconds>(pause, end - now));
      pause = std::min(pause * 2, kLongestPause);
    }
  }
}

}  // namespace nexus::core::layers
