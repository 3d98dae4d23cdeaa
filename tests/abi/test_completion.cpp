// SPDX-License-Identifier: Apache-2.0
// Tickets and the host work queue: order, failures, and what many threads do. What a backend shows
// of them is in nexus.conformance.capi.
#include <nexus-plugin/stream/work_queue.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "../unit/check.hpp"
#include "fake_host.hpp"

using namespace nexus_plugin;

namespace {

constexpr uint64_t kLong = UINT64_C(60) * 1000 * 1000 * 1000;

const bool bound = (bind_host(&FakeHost<0>::get()), true);

nxs_completion wait(const Completion &completion, nxs_ticket ticket, uint64_t timeout = kLong) {
  nxs_completion out{};
  out.struct_size = sizeof(out);
  completion.wait(ticket, timeout, &out);
  return out;
}

nxs_completion query(const Completion &completion, nxs_ticket ticket) {
  nxs_completion out{};
  out.struct_size = sizeof(out);
  completion.query(ticket, &out);
  return out;
}

[[noreturn]] void break_down() {
  throw Error(NXS_DeviceLost, "the device is gone; restart it");
}

// ---- Tickets ----

TEST(a_failure_refuses_new_work_with_its_cause_and_keeps_what_was_complete) {
  Completion completion;
  completion.issue();
  completion.issue();
  completion.issue();
  completion.complete(1);
  completion.fail(make_failure(Error(NXS_DeviceLost, "gone")));
  completion.fail(make_failure(Error(NXS_InvalidValue, "later")));
  CHECK_EQUAL(NXS_CompletionState_Completed, query(completion, 1).state);
  for (const nxs_ticket ticket : {nxs_ticket{2}, nxs_ticket{3}}) {
    const nxs_completion failed = query(completion, ticket);
    CHECK_EQUAL(NXS_CompletionState_Failed, failed.state);
    CHECK_EQUAL(NXS_DeviceLost, failed.status);
    CHECK_EQUAL("gone", FakeHost<0>::error(failed.error));
  }
  CHECK_EQUAL(NXS_DeviceLost, guarded([&] { completion.issue(); }));
  CHECK_EQUAL("gone", FakeHost<0>::last_error());
}

TEST(ticket_zero_tells_of_a_failure_behind_all_tickets) {
  Completion completion;
  completion.issue();
  completion.complete(1);
  completion.fail(make_failure(Error(NXS_DeviceLost, "gone")));
  CHECK_EQUAL(NXS_CompletionState_Completed, query(completion, 1).state);
  for (const nxs_completion &failed : {query(completion, 0), wait(completion, 0)}) {
    CHECK_EQUAL(NXS_CompletionState_Failed, failed.state);
    CHECK_EQUAL(NXS_DeviceLost, failed.status);
    CHECK_EQUAL("gone", FakeHost<0>::error(failed.error));
    CHECK_EQUAL(1u, failed.completed);
  }
}

TEST(a_failure_keeps_its_record_as_long_as_the_stream) {
  uint64_t record = 0;
  {
    Completion completion;
    completion.issue();
    completion.fail(make_failure(Error(NXS_DeviceLost, "gone")));
    record = query(completion, 1).error;
    CHECK_EQUAL(1, FakeHost<0>::owners(record));
  }
  CHECK_EQUAL(0, FakeHost<0>::owners(record));
}

// ---- The work queue ----

TEST(work_runs_in_order_and_is_seen_when_its_ticket_is_done) {
  WorkQueue queue;
  std::vector<int> seen;
  nxs_ticket last = 0;
  for (int i = 0; i < 1000; ++i) last = queue.submit([&seen, i] { seen.push_back(i); });
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(queue.completion(), last).state);
  CHECK_EQUAL(1000u, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK_EQUAL(i, static_cast<std::size_t>(seen[i]));
}

TEST(work_on_the_caller_is_done_when_submit_returns) {
  WorkQueue queue;
  std::thread::id ran_on;
  const nxs_ticket ticket =
      queue.submit([&] { ran_on = std::this_thread::get_id(); }, RunOn::kCaller);
  CHECK(ran_on == std::this_thread::get_id());
  CHECK_EQUAL(NXS_CompletionState_Completed, query(queue.completion(), ticket).state);
}

TEST(threads_that_submit_to_one_queue_mix_caller_and_thread) {
  WorkQueue queue;
  int count = 0;  // guarded by the queue's order
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&queue, &count, t] {
      for (int i = 0; i < 500; ++i) {
        queue.submit([&count] { ++count; }, t % 2 == 0 ? RunOn::kCaller : RunOn::kThread);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  wait(queue.completion(), 0);
  CHECK_EQUAL(2000, count);
}

TEST(work_that_was_submitted_runs_after_the_queue_is_gone) {
  std::atomic<int> ran{0};
  const SignalPtr done = SignalPtr::make();
  {
    WorkQueue queue;
    for (int i = 0; i < 100; ++i) queue.submit([&ran] { ++ran; });
    queue.submit([done] { done->set({}); });
  }
  done->join();
  CHECK_EQUAL(100, ran.load());
}

TEST(after_a_failure_work_is_not_run_but_who_asked_is_told) {
  WorkQueue queue;
  const SignalPtr start = SignalPtr::make();
  bool ran = false;
  nxs_status told = NXS_Success;
  queue.submit([start] { start->join(); });
  queue.submit(break_down);
  const nxs_ticket skipped = queue.submit([&ran] { ran = true; });
  const nxs_ticket heard =
      queue.submit([&told](const FailurePtr &failure) { told = status_of(failure); });
  // A later event tells when the queue has come to its end.
  BinaryEvent end;
  queue.signal(end);
  start->set({});
  const nxs_completion failed = wait(queue.completion(), heard);
  while (!end.newest()->wait(kLong)) {
  }
  CHECK_EQUAL(NXS_CompletionState_Failed, failed.state);
  CHECK_EQUAL(NXS_DeviceLost, query(queue.completion(), skipped).status);
  CHECK(!ran);
  CHECK_EQUAL(NXS_DeviceLost, told);
  CHECK_EQUAL(NXS_DeviceLost, guarded([&] { queue.submit([] {}); }));
}

// ---- Events ----

TEST(continuations_run_once_before_and_after_the_signal) {
  const SignalPtr signal = SignalPtr::make();
  int calls = 0;
  signal->then([&calls](const FailurePtr &) { ++calls; });
  CHECK_EQUAL(0, calls);
  signal->set({});
  signal->then([&calls](const FailurePtr &) { ++calls; });
  CHECK_EQUAL(2, calls);
}

}  // namespace
