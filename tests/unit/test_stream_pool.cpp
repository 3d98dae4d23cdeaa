// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/stream/stream_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "check.hpp"

namespace {

// All streams always have unfinished work.
struct Queue {
  using Device = int;
  using NativeStream = int;
  using Status = int;
  static constexpr Status kDone = 0;
  static Status query_stream(NativeStream) { return 1; }
  static NativeStream make_stream(Device &, int32_t) { return 1; }
};

constexpr std::chrono::milliseconds kWhile{50};

}  // namespace

TEST(a_stream_is_not_redirected_while_another_thread_uses_it) {
  int device = 0;
  nexus_plugin::StreamPool<Queue> pool(device);
  auto &pooled = pool.take(0);
  auto busy = pool.busy(nexus_plugin::kAllStreams);
  CHECK_EQUAL(1U, busy.size());
  std::atomic<bool> redirected{false};
  std::thread other([&] {
    pool.redirect(pooled, 2);  // as before a capture, which no other call may disturb
    redirected = true;
  });
  std::this_thread::sleep_for(kWhile);
  CHECK(!redirected);
  CHECK_EQUAL(1, busy.front().stream);
  busy.clear();
  other.join();
  CHECK_EQUAL(2, pool.busy(nexus_plugin::kAllStreams).front().stream);
}
