// SPDX-License-Identifier: Apache-2.0
// Tickets, the host work queue and binary events: order, waits, failures.
#include <nexus-plugin/work_queue.hpp>

#include <atomic>
#include <string>
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

nxs_completion query(const BinaryEvent &event) {
  nxs_completion out{};
  out.struct_size = sizeof(out);
  event.wait(0, &out);
  return out;
}

[[noreturn]] void break_down() {
  throw Error(NXS_DeviceLost, "the device is gone; restart it");
}

// ---- Tickets ----

TEST(tickets_grow_from_one_and_completing_one_completes_the_smaller) {
  Completion completion;
  CHECK_EQUAL(1u, completion.issue());
  CHECK_EQUAL(2u, completion.issue());
  CHECK_EQUAL(NXS_CompletionState_Running, query(completion, 1).state);
  completion.complete(2);
  CHECK_EQUAL(NXS_CompletionState_Completed, query(completion, 1).state);
  CHECK_EQUAL(2u, query(completion, 1).completed);
}

TEST(ticket_zero_is_the_newest_and_completed_where_there_is_none) {
  Completion completion;
  CHECK_EQUAL(NXS_CompletionState_Completed, query(completion, 0).state);
  completion.issue();
  CHECK_EQUAL(NXS_CompletionState_Running, query(completion, 0).state);
}

TEST(a_ticket_that_was_never_given_is_refused) {
  Completion completion;
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { query(completion, 1); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { completion.query(0, nullptr); }));
}

TEST(a_wait_that_runs_out_says_running) {
  Completion completion;
  completion.issue();
  CHECK_EQUAL(NXS_CompletionState_Running, wait(completion, 1, 1000).state);
}

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

TEST(many_threads_wait_for_one_ticket) {
  Completion completion;
  completion.issue();
  std::atomic<int> completed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      if (wait(completion, 1).state == NXS_CompletionState_Completed) ++completed;
    });
  }
  completion.complete(1);
  for (std::thread &thread : threads) thread.join();
  CHECK_EQUAL(4, completed.load());
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

TEST(an_event_that_was_never_signalled_is_no_event_to_wait_for) {
  WorkQueue queue;
  BinaryEvent event;
  CHECK_EQUAL(NXS_InvalidOperation, guarded([&] { query(event); }));
  CHECK_EQUAL(NXS_InvalidOperation, guarded([&] { queue.wait_for(event); }));
}

TEST(a_stream_waits_for_the_signal_of_another) {
  WorkQueue producer;
  WorkQueue consumer;
  BinaryEvent event;
  const SignalPtr start = SignalPtr::make();
  int value = 0;
  producer.submit([start] { start->join(); });
  producer.submit([&value] { value = 42; });
  producer.signal(event);
  consumer.wait_for(event);
  int seen = 0;
  const nxs_ticket ticket = consumer.submit([&] { seen = value; });
  CHECK_EQUAL(NXS_CompletionState_Running, query(event).state);
  start->set({});
  wait(consumer.completion(), ticket);
  CHECK_EQUAL(42, seen);
  CHECK_EQUAL(NXS_CompletionState_Completed, query(event).state);
}

TEST(a_failed_stream_fails_its_events_and_the_streams_that_wait_for_them) {
  WorkQueue producer;
  WorkQueue consumer;
  BinaryEvent event;
  const SignalPtr start = SignalPtr::make();
  producer.submit([start] { start->join(); });
  producer.submit(break_down);
  producer.signal(event);
  const nxs_ticket ticket = consumer.wait_for(event);
  start->set({});
  CHECK_EQUAL(NXS_DeviceLost, wait(consumer.completion(), ticket).status);
  CHECK_EQUAL(NXS_DeviceLost, query(event).status);
}

TEST(who_waits_waits_for_the_newest_signal_at_that_time) {
  BinaryEvent event;
  const SignalPtr first = SignalPtr::make();
  event.submitted(first);
  first->set({});
  CHECK_EQUAL(NXS_CompletionState_Completed, query(event).state);
  event.submitted(SignalPtr::make());
  CHECK_EQUAL(NXS_CompletionState_Running, query(event).state);
}

TEST(continuations_run_once_before_and_after_the_signal) {
  const SignalPtr signal = SignalPtr::make();
  int calls = 0;
  signal->then([&calls](const FailurePtr &) { ++calls; });
  CHECK_EQUAL(0, calls);
  signal->set({});
  signal->then([&calls](const FailurePtr &) { ++calls; });
  CHECK_EQUAL(2, calls);
}

TEST(elapsed_time_needs_timing_and_signals_that_happened) {
  WorkQueue queue;
  BinaryEvent untimed;
  BinaryEvent start(true);
  BinaryEvent end(true);
  queue.signal(untimed);
  queue.signal(start);
  const nxs_ticket ticket = queue.signal(start);
  wait(queue.completion(), ticket);
  CHECK_EQUAL(NXS_ProfilingInfoNotAvailable, guarded([&] { untimed.time(); }));
  CHECK_EQUAL(NXS_InvalidOperation, guarded([&] { elapsed_nanoseconds(start, end); }));
  wait(queue.completion(), queue.signal(end));
  CHECK(elapsed_nanoseconds(start, end) >= 0);
}

}  // namespace
