// SPDX-License-Identifier: Apache-2.0
#include <nexus-plugin/stream/tickets.hpp>

#include <atomic>
#include <functional>
#include <thread>

#include "check.hpp"

namespace {

using nexus_plugin::Error;
using nexus_plugin::Failure;
using nexus_plugin::FailurePtr;

struct Loop;

// A driver's queue whose only work runs until `running` is false.
struct Queue {
  using Stream = Loop;
  using Event = std::atomic<bool> *;
  using Status = bool;
  static constexpr Status kDone = false;
  static bool is_running(Status status) noexcept { return status; }
  static constexpr std::chrono::nanoseconds kSpin{0};

  const Failure *lost() const noexcept { return nullptr; }
  FailurePtr lost_cause() const { return {}; }
  int use() const { return 0; }
  Event record() { return running; }
  Status query(Event event) noexcept { return *event; }
  Status query_all() noexcept { return *running; }
  FailurePtr failure_of(Status) noexcept { return {}; }
  void waited() noexcept {}
  void call_later(Event, const std::function<void()> &call) noexcept { call(); }

  std::atomic<bool> *running;
};

// A stream with one endless loop.
struct Loop {
  std::atomic<bool> running{true};
  nexus_plugin::Tickets<Queue> own{Queue{&running}};
  nxs_ticket ticket = submit();

  nexus_plugin::Tickets<Queue> &tickets() { return own; }
  nxs_ticket submit() {
    const std::lock_guard lock(own.mutex());
    own.prepare();
    return own.add(&running, {});
  }
  nxs_completion query() {
    nxs_completion completion{};
    completion.struct_size = sizeof completion;
    own.query(ticket, &completion);
    return completion;
  }
  // end: what happens when the device is told to end the loop.
  template <class End>
  void give_up(End &&end) {
    own.give_up([this] { return ticket; }, Error(NXS_Cancelled, "given up"), end);
  }
};

// Queries as another thread, at the moment when the loop has ended and nobody has said why.
nxs_completion queried_elsewhere(Loop &loop) {
  nxs_completion completion{};
  std::thread([&] { completion = loop.query(); }).join();
  return completion;
}

}  // namespace

TEST(workThatIsCutShortFails) {
  Loop loop;
  loop.give_up([&] {
    loop.running = false;
    CHECK_EQUAL(NXS_CompletionState_Running, queried_elsewhere(loop).state);
  });
  CHECK_EQUAL(NXS_CompletionState_Failed, loop.query().state);
  CHECK_EQUAL(NXS_Cancelled, loop.query().status);
}

TEST(workThatWasDoneBeforeDoesNotFail) {
  Loop loop;
  loop.running = false;
  loop.give_up([] { CHECK(false); });
  CHECK_EQUAL(NXS_CompletionState_Completed, loop.query().state);
}

// A submission waits for room in the driver's queue, so it has the lock until the loop ends.
TEST(workIsCutShortBehindABlockedSubmission) {
  Loop loop;
  std::atomic<bool> blocked{false};
  std::thread submission([&] {
    const std::lock_guard lock(loop.own.mutex());
    blocked = true;
    while (loop.running) std::this_thread::yield();
  });
  while (!blocked) std::this_thread::yield();
  loop.give_up([&] {
    loop.running = false;
    if (submission.joinable()) submission.join();
    CHECK_EQUAL(NXS_CompletionState_Running, queried_elsewhere(loop).state);
  });
  CHECK_EQUAL(NXS_CompletionState_Failed, loop.query().state);
}
