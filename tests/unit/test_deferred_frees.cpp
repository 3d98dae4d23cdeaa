// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/stream/stream_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "check.hpp"
#include "child.hpp"

namespace {

struct Queue {
  using Device = int;
  using NativeStream = int;
  using Event = int;
  using Status = int;
  struct Use {};
  static constexpr Status kDone = 0;
  static bool is_running(Status) { return false; }
  static Status query(Event) { return kDone; }
  static Status query_stream(NativeStream) { return kDone; }
  static NativeStream make_stream(Device &, int32_t) { return 0; }
  static Use use(Device &) { return {}; }
};

constexpr std::chrono::milliseconds kWhile{100};
std::atomic<bool> freeing{false};

void free_slowly() {
  freeing = true;
  std::this_thread::sleep_for(kWhile);
  freeing = false;
}

// Looks as long as a free would take to begin: the driver has ended, so each call would crash it.
void end_of_the_driver() {
  const auto end = std::chrono::steady_clock::now() + kWhile;
  while (std::chrono::steady_clock::now() < end) {
    if (freeing) _exit(2);
  }
}

}  // namespace

TEST(exit_waits_for_a_free_that_has_begun_and_no_other_begins) {
  const int status = check::statusOfChild([] {
    std::atexit(end_of_the_driver);  // a driver registers it when it is loaded
    static int device = 0;
    static nexus_plugin::StreamPool<Queue> streams(device);
    auto *const frees = new nexus_plugin::DeferredFrees<Queue>(device, streams);
    for (int i = 0; i < 3; ++i) frees->add({}, free_slowly);
    while (!freeing) std::this_thread::yield();
    std::exit(0);
    return true;
  });
  CHECK_EQUAL(0, status);
}
