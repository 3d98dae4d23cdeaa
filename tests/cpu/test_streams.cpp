// SPDX-License-Identifier: Apache-2.0
// Streams beside the caller, their order, events, snapshots, failure.
#include "../unit/check.hpp"
#include "harness.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

using namespace cpu;

static const nxs_id runtime = load();

namespace {

nxs_completion query(nxs_id stream, nxs_ticket ticket = 0) {
  nxs_completion done{};
  done.struct_size = sizeof(done);
  must(table().QueryStream(stream, ticket, &done));
  return done;
}

nxs_id new_event(nxs_execution_settings settings = 0) {
  nxs_id id = 0;
  must(table().CreateEvent(device(), settings, &id));
  return id;
}

void signal(nxs_id event, nxs_id stream) {
  nxs_ticket ticket = 0;
  must(table().SignalEvent(event, stream, &ticket));
}

nxs_ticket wait_for(nxs_id event, nxs_id stream) {
  nxs_ticket ticket = 0;
  must(table().WaitEvent(event, stream, &ticket));
  return ticket;
}

nxs_completion synchronize(nxs_id event, uint64_t timeout = kLong) {
  nxs_completion done{};
  done.struct_size = sizeof(done);
  must(table().SynchronizeEvent(event, timeout, &done));
  return done;
}

// values = values * factor + term
struct Step {
  Step(const Shared<int> &values, int factor, int term) {
    command = schedule.add(range_kernel("scale_and_add"),
                           {argument(values), scalar(factor), scalar(term)},
                           launch({values.host.size()}));
  }
  void set_term(int term) {
    const nxs_argument given = scalar(term);
    must(table().SetCommandArgument(command, 2, &given));
  }
  Schedule schedule;
  nxs_id command = 0;
};

// A stream that fails when its work is done: an item ends while the others wait for it.
struct Failing {
  Failing() : item(1) {
    schedule.add(kernel(library("barrier_kernels.so"), "all_but_one"), {argument(item)},
                 launch({64}, {64}));
  }
  Shared<int> item;
  Schedule schedule;
};

}  // namespace

TEST(a_stream_without_work_is_complete) {
  CHECK_EQUAL(NXS_CompletionState_Completed, query(new_stream()).state);
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(new_stream()).state);
}

TEST(a_run_that_is_not_blocking_goes_on_beside_the_caller) {
  const nxs_id stream = new_stream();
  Gate gate(stream);
  CHECK_EQUAL(NXS_CompletionState_Running, query(stream).state);
  CHECK_EQUAL(NXS_CompletionState_Running, wait(stream, 0, 1000 * 1000).state);
  gate.open();
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream).state);
}

TEST(work_in_a_stream_is_done_in_its_order) {
  const nxs_id stream = new_stream();
  Shared<int> values(1000);
  Step first(values, 0, 3), second(values, 10, 4), third(values, 10, 5);
  for (int round = 0; round < 200; ++round) {
    first.schedule.start(stream);
    second.schedule.start(stream);
    third.schedule.start(stream);
  }
  wait(stream);
  for (const int value : values.host) CHECK_EQUAL(345, value);
}

TEST(commands_of_a_schedule_see_those_before_them) {
  Shared<int> values(5000);
  Shared<int> copy(5000);
  Schedule schedule;
  const int zero = 0, ten = 10, three = 3, four = 4, seven = 7;
  nxs_buffer_range to{sizeof(to), copy.id, 0, 20000};
  nxs_buffer_range from{sizeof(from), values.id, 0, 20000};
  nxs_id command = 0;
  must(table().CreateFillCommand(schedule.id, &from, &seven, 4, &command));
  const auto step = [&](const int &factor, const int &term) {
    schedule.add(range_kernel("scale_and_add"), {argument(values), scalar(factor), scalar(term)},
                 launch({5000}));
  };
  step(zero, three);
  step(ten, four);
  must(table().CreateCopyCommand(schedule.id, &to, &from, &command));
  step(zero, zero);
  CHECK_EQUAL(NXS_CompletionState_Completed, schedule.complete(new_stream()).state);
  for (const int value : copy.host) CHECK_EQUAL(34, value);
  for (const int value : values.host) CHECK_EQUAL(0, value);
  CHECK_EQUAL(5, int_property(table().GetScheduleProperty, schedule.id, NP_Size));
}

TEST(streams_go_on_while_another_one_waits) {
  const nxs_id held = new_stream();
  const nxs_id free = new_stream();
  Gate gate(held);
  Shared<int> values(1000);
  Step step(values, 0, 5);
  CHECK_EQUAL(NXS_CompletionState_Completed, step.schedule.complete(free).state);
  CHECK_EQUAL(NXS_CompletionState_Running, query(held).state);
}

TEST(a_run_takes_the_arguments_as_they_were_submitted) {
  const nxs_id stream = new_stream();
  Shared<int> values(100);
  Step append(values, 10, 1);
  {
    Gate gate(stream);
    append.schedule.start(stream);
    append.set_term(2);
    append.schedule.start(stream);
    append.set_term(3);
    append.schedule.start(stream);
    append.set_term(9);
  }
  wait(stream);
  for (const int value : values.host) CHECK_EQUAL(123, value);
}

TEST(an_argument_set_after_finalize_keeps_its_size) {
  Shared<int> values(10);
  Step step(values, 0, 5);
  const int64_t wide = 1;
  const nxs_argument given = scalar(wide);
  CHECK_EQUAL(NXS_InvalidArgSize, table().SetCommandArgument(step.command, 2, &given));
  step.schedule.complete(new_stream());
  CHECK_EQUAL(5, values.host[0]);
}

TEST(runs_of_one_schedule_never_overlap) {
  constexpr int kStreams = 6, kRuns = 50;
  Shared<int> counts(3000);  // += 1 without atomics: overlapping runs would lose some
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({3000}));
  std::vector<nxs_id> streams;
  for (int i = 0; i < kStreams; ++i) streams.push_back(new_stream());
  for (int run = 0; run < kRuns; ++run) {
    for (const nxs_id stream : streams) schedule.start(stream);
  }
  for (const nxs_id stream : streams)
    CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream).state);
  for (const int count : counts.host) CHECK_EQUAL(kStreams * kRuns, count);
}

TEST(a_schedule_inside_others_is_kept_apart_from_its_own_runs) {
  Shared<int> counts(2000);
  Schedule inner, first, second;
  inner.add(range_kernel("count_1d"), {argument(counts)}, launch({2000}));
  nxs_id command = 0;
  must(table().CreateScheduleCommand(first.id, inner.id, &command));
  must(table().CreateScheduleCommand(first.id, inner.id, &command));
  must(table().CreateScheduleCommand(second.id, first.id, &command));
  const nxs_id a = new_stream(), b = new_stream(), c = new_stream();
  for (int run = 0; run < 30; ++run) {
    inner.start(a);
    first.start(b);
    second.start(c);
  }
  wait(a);
  wait(b);
  wait(c);
  for (const int count : counts.host) CHECK_EQUAL(30 * (1 + 2 + 2), count);
}

TEST(a_change_inside_a_nested_schedule_is_seen_by_the_next_run) {
  Shared<int> values(10);
  Step inner(values, 0, 4);
  Schedule outer;
  nxs_id command = 0;
  must(table().CreateScheduleCommand(outer.id, inner.schedule.id, &command));
  const nxs_id stream = new_stream();
  outer.complete(stream);
  CHECK_EQUAL(4, values.host[0]);
  inner.set_term(6);
  outer.complete(stream);
  CHECK_EQUAL(6, values.host[0]);
}

TEST(a_schedule_in_flight_is_not_changed) {
  const nxs_id stream = new_stream();
  Shared<int> values(10);
  Step step(values, 0, 5);
  Gate gate(stream);
  step.schedule.start(stream);
  nxs_id command = 0;
  CHECK_EQUAL(NXS_InvalidOperation,
              table().CreateCommand(step.schedule.id, range_kernel("add"), &command));
  const nxs_launch size = launch({10});
  CHECK_EQUAL(NXS_InvalidOperation, table().FinalizeCommand(step.command, &size));
  CHECK_EQUAL("Running", text_property(table().GetScheduleProperty, step.schedule.id, NP_Status));
  gate.open();
  wait(stream);
  CHECK_EQUAL("Complete", text_property(table().GetScheduleProperty, step.schedule.id, NP_Status));
  CHECK_EQUAL(NXS_Success, table().FinalizeCommand(step.command, &size));
}

TEST(what_is_released_goes_on_to_its_end) {
  const nxs_id held = new_stream();
  const nxs_id stream = new_stream();
  const nxs_id event = new_event();
  std::vector<int> memory(1000);
  {
    Gate gate(held);
    signal(event, held);
    wait_for(event, stream);
    nxs_id buffer = 0;
    must(table().CreateBuffer(device(), 4000, NXS_BufferSettings_Maintain, memory.data(), &buffer));
    {
      Schedule schedule;
      schedule.add(range_kernel("count_1d"), {buffer_argument(buffer, 4000)}, launch({1000}));
      schedule.start(stream);
    }
    must(table().ReleaseBuffer(buffer));
  }
  wait(stream);
  for (const int value : memory) CHECK_EQUAL(1, value);
  must(table().ReleaseStream(stream));
  must(table().ReleaseEvent(event));
}

TEST(a_wait_holds_a_stream_until_the_signal) {
  const nxs_id producer = new_stream();
  const nxs_id consumer = new_stream();
  const nxs_id event = new_event();
  Shared<int> values(1000);
  Step first(values, 0, 7), second(values, 10, 8);
  Gate gate(producer);
  first.schedule.start(producer);
  signal(event, producer);
  wait_for(event, consumer);
  second.schedule.start(consumer);
  CHECK_EQUAL(NXS_CompletionState_Running, wait(consumer, 0, 1000 * 1000).state);
  CHECK_EQUAL(NXS_CompletionState_Running, synchronize(event, 0).state);
  gate.open();
  CHECK_EQUAL(NXS_CompletionState_Completed, wait(consumer).state);
  CHECK_EQUAL(NXS_CompletionState_Completed, synchronize(event).state);
  for (const int value : values.host) CHECK_EQUAL(78, value);
}

TEST(many_waiting_streams_hold_no_thread) {
  constexpr int kStreams = 100;
  const nxs_id held = new_stream();
  const nxs_id event = new_event();
  Shared<int> counts(16);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({16}));
  std::vector<nxs_id> streams;
  Gate gate(held);
  signal(event, held);
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(new_stream());
    wait_for(event, streams.back());
    schedule.start(streams.back());
  }
  Shared<int> others(16);
  Step step(others, 0, 1);
  CHECK_EQUAL(NXS_CompletionState_Completed, step.schedule.complete(new_stream()).state);
  gate.open();
  for (const nxs_id stream : streams)
    CHECK_EQUAL(NXS_CompletionState_Completed, wait(stream).state);
  for (const int count : counts.host) CHECK_EQUAL(kStreams, count);
}

TEST(a_wait_for_an_event_never_signalled_is_refused) {
  nxs_ticket ticket = 0;
  const nxs_id event = new_event();
  CHECK_EQUAL(NXS_InvalidOperation, table().WaitEvent(event, new_stream(), &ticket));
}

TEST(elapsed_time_is_that_between_two_signals) {
  const nxs_id stream = new_stream();
  const nxs_id start = new_event(NXS_ExecutionSettings_Timing);
  const nxs_id end = new_event(NXS_ExecutionSettings_Timing);
  double ns = -1;
  CHECK_EQUAL(NXS_InvalidOperation, table().GetElapsedTime(start, end, &ns));
  signal(start, stream);
  Shared<unsigned> out(64);
  const unsigned rounds = 1000;
  Schedule schedule;
  schedule.add(range_kernel("spend"), {argument(out), scalar(rounds)}, launch({64}));
  schedule.run(stream, NXS_ExecutionSettings_Timing);
  signal(end, stream);
  wait(stream);
  must(table().GetElapsedTime(start, end, &ns));
  CHECK(ns > 0);
  CHECK_EQUAL(sizeof(double),
              property(table().GetScheduleProperty, schedule.id, NP_ElapsedTime).size());
  const nxs_id untimed = new_event();
  signal(untimed, stream);
  CHECK_EQUAL(NXS_ProfilingInfoNotAvailable, table().GetElapsedTime(untimed, end, &ns));
}

TEST(callbacks_are_called_in_order_beside_the_caller) {
  const nxs_id stream = new_stream();
  struct Seen {
    std::atomic<int> status{1};
    std::thread::id thread;
  } seen;
  nxs_ticket ticket = 0;
  {
    Gate gate(stream);
    must(table().EnqueueHostCallback(
        stream,
        [](void *context, nxs_status status) {
          static_cast<Seen *>(context)->thread = std::this_thread::get_id();
          static_cast<Seen *>(context)->status = status;
        },
        &seen, &ticket));
    CHECK_EQUAL(1, seen.status.load());
  }
  wait(stream, ticket);
  CHECK_EQUAL(NXS_Success, seen.status.load());
  CHECK(seen.thread != std::this_thread::get_id());
}

TEST(a_failed_stream_tells_those_who_hang_on_it) {
  const nxs_id stream = new_stream();
  const nxs_id other = new_stream();
  const nxs_id event = new_event();
  std::atomic<int> called{1};
  Failing failing;
  Shared<int> values(10, 3);
  Step after(values, 0, 5);
  nxs_ticket ticket = 0;
  {
    Gate gate(stream);
    failing.schedule.start(stream);
    after.schedule.start(stream);
    signal(event, stream);
    must(table().EnqueueHostCallback(
        stream,
        [](void *context, nxs_status status) {
          static_cast<std::atomic<int> *>(context)->store(status);
        },
        &called, &ticket));
    wait_for(event, other);
    after.schedule.start(other);
  }
  const nxs_completion done = wait(other);
  CHECK_EQUAL(NXS_CompletionState_Failed, done.state);
  CHECK_EQUAL(NXS_InvalidKernelDefinition, done.status);
  CHECK(contains(error_text(done.error), "'all_but_one'"));
  CHECK_EQUAL(NXS_CompletionState_Failed, wait(stream).state);
  CHECK_EQUAL(NXS_CompletionState_Failed, synchronize(event).state);
  while (called.load() == 1) std::this_thread::yield();
  CHECK_EQUAL(NXS_InvalidKernelDefinition, called.load());
  for (const int value : values.host) CHECK_EQUAL(3, value);
  // What it held is free again.
  CHECK_EQUAL(NXS_CompletionState_Completed, after.schedule.complete(new_stream()).state);
}

TEST(many_threads_submit_to_many_streams) {
  constexpr int kThreads = 4, kRuns = 300;
  const nxs_id shared = new_stream();
  Shared<int> counts(64);
  Schedule schedule;
  schedule.add(range_kernel("count_1d"), {argument(counts)}, launch({64}));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      const nxs_id own = new_stream();
      for (int run = 0; run < kRuns; ++run) {
        const nxs_id stream = run % 2 == 0 ? own : shared;
        const nxs_ticket ticket = run % 3 == 0 ? schedule.run(stream) : schedule.start(stream);
        if (run % 5 == 0) wait(stream, ticket);
      }
      wait(own);
      must(table().ReleaseStream(own));
    });
  }
  for (std::thread &thread : threads) thread.join();
  wait(shared);
  for (const int count : counts.host) CHECK_EQUAL(kThreads * kRuns, count);
}

TEST(more_jobs_than_the_pool_has_places_are_all_done) {
  constexpr int kStreams = 80;
  std::vector<nxs_id> streams;
  std::vector<std::unique_ptr<Shared<int>>> counts;
  std::vector<std::unique_ptr<Schedule>> schedules;
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(new_stream());
    counts.push_back(std::make_unique<Shared<int>>(1000));
    schedules.push_back(std::make_unique<Schedule>());
    schedules.back()->add(range_kernel("count_1d"), {argument(*counts.back())},
                          launch({1000}, {10}));
  }
  for (int run = 0; run < 20; ++run) {
    for (std::size_t i = 0; i < kStreams; ++i) schedules[i]->start(streams[i]);
  }
  for (const nxs_id stream : streams) wait(stream);
  for (const auto &buffer : counts) CHECK_EQUAL(20, buffer->host[999]);
}

TEST(a_forked_child_has_a_pool_of_its_own) {
  Shared<int> before(1000);
  Step step(before, 0, 1);
  step.schedule.complete(new_stream());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Shared<int> values(100000);
    Step own(values, 0, 6);
    const nxs_completion done = wait(new_stream(), 0);
    (void)done;
    own.schedule.complete(new_stream());
    _exit(values.host[99999] == 6 ? 0 : 1);
  }
  int status = 0;
  CHECK_EQUAL(child, waitpid(child, &status, 0));
  CHECK(WIFEXITED(status));
  CHECK_EQUAL(0, WEXITSTATUS(status));
}
